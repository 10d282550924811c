import hashlib, hmac, json, re, time

def read_event(body: bytes, signature: str, secret: str):
    """The event, or None when the request is not ours. `body` is the bytes as received."""
    match = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", signature or "")
    if match is None or abs(time.time() - int(match[1])) > 300:
        return None
    message = match[1].encode() + b"." + body
    expected = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
    return json.loads(body) if hmac.compare_digest(expected, match[2]) else None
