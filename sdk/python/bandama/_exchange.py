from __future__ import annotations

import errno
import http.client
import io
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Union
from urllib.parse import urlsplit

# The longest time that a socket takes, far beyond any call.
_TIMEOUT_MAX = 1e6


@dataclass(frozen=True)
class Sending:
    """One attempt of a request."""

    method: str
    address: str
    headers: Mapping[str, str] = field(repr=False)
    body: Optional[bytes]
    timeout: float
    """Seconds for the whole attempt, and not only for the next byte. Before a connection stands they hold for each address of the host."""
    key: str = field(repr=False)


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Reply:
    status: int
    headers: list[tuple[str, str]]
    text: str

    def header(self, name: str) -> Optional[str]:
        return next((value for one, value in self.headers if one.lower() == name), None)


@dataclass(frozen=True)
class Lost:
    """No answer, or one that broke off."""

    why: str
    cause: Exception


class Exchange:
    """Sends one request on a connection of its own and reads its answer. Redirects are not followed: they would take the key elsewhere."""

    def __init__(self, sending: Sending, context: Optional[ssl.SSLContext]) -> None:
        self._sending = sending
        self._context = context
        self._sock: Optional[socket.socket] = None
        self._lock = threading.Lock()
        self._ended = False

    def run(self) -> Union[Reply, Lost]:
        sending = self._sending
        deadline = time.monotonic() + min(sending.timeout, _TIMEOUT_MAX)
        connection = None
        try:
            connection = self._open(deadline)
            connection.connect()
            with self._lock:
                self._sock = connection.sock
                if self._ended:
                    raise OSError("ended")
            target = urlsplit(sending.address)._replace(scheme="", netloc="").geturl()
            connection.sock.settimeout(_left(deadline))
            # The key has no name here: services that collect errors show the variables of a traceback.
            connection.request(
                sending.method,
                target,
                body=sending.body,
                headers={**sending.headers, "Authorization": f"Bearer {sending.key}"},
            )
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
            return Reply(response.status, response.getheaders(), text)
        except (OSError, http.client.HTTPException, ValueError) as cause:
            # Its traceback goes through the standard library, whose variables hold the header with the key.
            cause.__context__ = None
            return Lost(_reason(cause, sending.timeout), cause.with_traceback(None))
        finally:
            if connection is not None:
                connection.close()

    def end(self) -> None:
        """Ends the exchange from another thread."""
        with self._lock:
            self._ended = True
            if self._sock is not None:
                try:
                    self._sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def _open(self, deadline: float) -> http.client.HTTPConnection:
        address = urlsplit(self._sending.address)
        connection: http.client.HTTPConnection
        if address.scheme == "https":
            connection = http.client.HTTPSConnection(
                address.hostname or "", address.port, timeout=_left(deadline), context=self._context
            )
        else:
            connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=_left(deadline))

        def respond(sock: Any, *words: Any, **more: Any) -> http.client.HTTPResponse:
            return http.client.HTTPResponse(_Timed(sock, deadline), *words, **more)  # type: ignore[arg-type]

        connection.response_class = respond  # type: ignore[assignment]
        return connection


class _Timed:
    """Gives a response a file whose reads all end at one moment. A socket's own timeout begins anew with each byte."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReads(self._sock, self._deadline))


class _TimedReads(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        # Holds the socket open: the connection closes its own hold once the head of an answer is read.
        self._file = sock.makefile("rb", buffering=0)
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        self._sock.settimeout(_left(self._deadline))
        return self._file.readinto(buffer)  # type: ignore[attr-defined, no-any-return]

    def close(self) -> None:
        self._file.close()
        super().close()


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise socket.timeout("timed out")
    return left


def _reason(cause: Exception, timeout: float) -> str:
    if isinstance(cause, socket.timeout):
        return f"nothing came within {timeout:g} s"
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted, {cause.verify_message}"
    if isinstance(cause, OSError) and cause.errno is not None:
        return errno.errorcode.get(cause.errno) or cause.strerror or str(cause)
    return str(cause) or type(cause).__name__
