#!/usr/bin/env bash
# Does what a newcomer does after `npm ci`: npm start on an empty DATA_DIR, paste the lines it prints, take the walks of
# docs/walks, stop it, start it again. Then the accidents that happen to everybody one day: a start while it runs, and after it was
# killed.
#
# Needs nothing but bash and this project with its packages installed. Ends what it starts, whatever happens.
set -euo pipefail

cd "$(dirname "$0")/../.."
node=node_modules/.bin/node

work=$(mktemp -d)
# When root runs this, the database's account must be able to pass.
chmod 711 "$work"
export DATA_DIR=$work/data METRICS_PORT=0
free_port() {
  "$node" -e 'import("./tests/harness/free-port.ts").then(async ({ freePort, BESIDE }) => console.log(await freePort(BESIDE)))'
}
PORT=$(free_port)
export PORT
twin_port=$(free_port)
unset DATABASE_URL SECRET_KEY DEMO REDIS_URL || true

npm_pid=''
output=''

say() { printf '%s\n' "smoke: $*"; }

fail() {
  say "FAILED: $*"
  if [ -s "$output" ]; then
    say "the end of what npm start printed (keys and secrets left out):"
    tail -n 40 "$output" | sed -E 's/(_sk_test_|whsec_)[A-Za-z0-9_-]+/\1…/g'
  fi
  exit 1
}

database_pid() { head -n 1 "$DATA_DIR/postgres/cluster/postmaster.pid" 2>/dev/null || true; }

end() {
  local status=$? pid
  trap - EXIT
  if [ -n "$npm_pid" ]; then
    # npm_pid is emptied when the service is known to have ended: a number kept longer may be somebody else's.
    pid=$(service_pid)
    kill -KILL ${pid:+"$pid"} "$npm_pid" 2>/dev/null || true
    pid=$(database_pid)
    if [ -n "$pid" ]; then
      kill -INT "$pid" 2>/dev/null || true
      wait_until 10 "the end of the database" gone "$pid" || true
    fi
  fi
  rm -rf "$work"
  exit "$status"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# wait_until SECONDS WHAT COMMAND…: asks ten times a second.
wait_until() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      say "waited in vain for $what"
      return 1
    fi
    sleep 0.1
  done
}

gone() { ! kill -0 "$1" 2>/dev/null; }

is_ready() { grep -q '"msg":"ready"' "$output" || gone "$npm_pid"; }

service_pid() { sed -nE 's/^\{.*"pid":([0-9]+).*"msg":"ready".*$/\1/p' "$output" 2>/dev/null | head -n 1; }

# start_service NAME: npm start, until it is ready. Its output goes to a file of that name.
start_service() {
  local began
  output=$work/$1
  : >"$output"
  began=$(date +%s%N)
  npm start >"$output" 2>&1 &
  npm_pid=$!
  wait_until 60 "readiness" is_ready || fail "npm start did not become ready"
  grep -q '"msg":"ready"' "$output" || fail "npm start ended"
  say "ready after $((($(date +%s%N) - began) / 1000000)) ms ($1)"
}

# stop_service: a signal to npm must reach the service, end it cleanly and the database after it.
stop_service() {
  local status=0 database
  database=$(database_pid)
  kill -TERM "$npm_pid"
  wait "$npm_pid" || status=$?
  npm_pid=''
  # 143: npm reports the signal it was sent rather than how the service ended, which the log tells.
  case $status in 0 | 143) ;; *) fail "npm start ended with $status after SIGTERM" ;; esac
  # npm does not always wait for what it started.
  wait_until 30 "the service's last words" grep -q '"msg":"stopped"' "$output" || fail "the service did not stop cleanly"
  wait_until 10 "the end of the database" gone "$database" || fail "the database outlived the service"
  if [ -n "$(database_pid)" ]; then fail "the database left a note of a running process"; fi
}

# field NAME FILE: a field of the JSON object in the file.
field() { "$node" -e 'console.log(JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"))[process.argv[1]] ?? "")' "$1" "$2"; }

# expect FILE FIELD PATTERN: the whole field must match the extended regular expression.
expect() {
  local value
  value=$(field "$2" "$1") || fail "not JSON: $(cat "$1")"
  if ! [[ $value =~ ^($3)$ ]]; then fail "$2 is \"$value\" where $3 was expected: $(cat "$1")"; fi
}

start_service first-start
# They come just after the log line that says it is ready.
wait_until 10 "the printed lines" grep -q '^Try:' "$output" || fail "npm start printed nothing to try"
mapfile -t lines < <(awk '/^Try:/ { on = 1; next } on && /^[[:space:]]*$/ { exit } on { sub(/^[[:space:]]+/, ""); print }' "$output")
[ "${#lines[@]}" -eq 3 ] || fail "${#lines[@]} lines to try where 3 were expected"

# In this shell, one after the other, as pasted: the second uses a variable that the first sets.
for rank in 0 1 2; do eval "${lines[$rank]}" >"$work/answer-$rank" || fail "line $((rank + 1)) ended with $?"; done
expect "$work/answer-0" object payment
expect "$work/answer-0" id 'txn_[0-9a-z]+'
expect "$work/answer-0" amount 10000
payment=$(field id "$work/answer-0")
expect "$work/answer-1" id "$payment"
expect "$work/answer-1" status 'created|pending|succeeded'
expect "$work/answer-2" object payment
expect "$work/answer-2" amount 500
[ "$(field id "$work/answer-2")" != "$payment" ] || fail "two payments have one id"

succeeded() {
  eval "${lines[1]}" >"$work/answer-1" && [ "$(field status "$work/answer-1")" = succeeded ]
}
wait_until 15 "the payment to succeed" succeeded || fail "the payment did not succeed: $(cat "$work/answer-1")"
say "the three printed lines work, and the payment succeeds"

# The walks of docs/walks, one after the other in one terminal: all their blocks, each command as it stands there but for the port
# and the folder.
walks=(docs/walks/pay-out.md docs/walks/settle-and-refund.md docs/walks/pay-on-a-page.md docs/walks/go-live.md docs/walks/batch-from-a-file.md
  docs/walks/a-month-in-the-console.md docs/walks/anomaly-by-two-people.md docs/walks/a-shop-from-a-telephone.md)
[ "$(ls docs/walks | grep -vc '^README.md$')" -eq "${#walks[@]}" ] || fail "a walk of docs/walks is not in this list"
awk '/^```/{ block = /^```sh/; next } block' "${walks[@]}" |
  sed -e "s#127\.0\.0\.1:3000#127.0.0.1:$PORT#g" -e "s#127\.0\.0\.1:4010#127.0.0.1:$twin_port#g" -e "s#--port 4010#--port $twin_port#" -e "s#'\./\.data/#'$DATA_DIR/#" -e "s#\.data/#$DATA_DIR/#g" >"$work/walk"
[ -s "$work/walk" ] || fail "docs/walks has no commands"
# A walk that ends early leaves no twin behind.
sed -i '1i trap '"'"'[ -z "${TWIN:-}" ] || kill "$TWIN" 2>/dev/null || true'"'"' EXIT' "$work/walk"
bash -e "$work/walk" >"$work/walk-answers" 2>&1 || fail "the walks ended badly: $(cat "$work/walk-answers")"
# The output that the walks promise, in their order.
seen=(
  'transfer: 300 000' '"amount":25000,.*"status":"created"' '"amount":25000,.*"status":"succeeded"'
  '"status":"pending_approval","reason":"plafond_operation","limit":100000' 'status: approved' '"status":"approved",.*"payout_id":"txn_'
  '"status":"brouillon"' '"status":"termine_avec_erreurs".*"succeeded".*recipient_not_found.*insufficient_funds' 'batch_not_executable'
  'stopped' '"amount":5000,.*"status":"created"' '"amount":5000,.*"status":"created"' 'waiting: true' 'resumed' '"amount":5000,.*"status":"succeeded"'
  'transfer: 80 000'
  '"closing_balance":9900' 'designated_at' 'destination_trop_recente.*serves from .* UTC on' 'designated_at: .*2026-01-01'
  '"object":"settlement","amount":5000,.*"status":"pending_validation"' 'pending_validation' 'status: validated'
  'Two people pay a settlement' 'status: paid' '"status":"paid",.*"bank_reference":"VIR-2026-0042"' '"closing_balance":4900'
  'status: requested' 'repeated: true' '"status":"partially_refunded".*"amount_refunded":4000' 'amount: 6 000' '"closing_balance":4900'
  '"object":"checkout_session","status":"open"' '/pay/[0-9a-z]+$' '"kind":"session".*"number":1' '"status":"paid".*"verify_url"' 'url: .*/link/'
  'callback_url: .*/operators/pawapay/callbacks' 'works: true' 'api_token: [*]+' 'connectors: pawapay' 'max: 500 000'
  '"object":"payment".*"status":"created"' '"object":"payment".*"status":"succeeded"' '/operators/pawapay/callbacks.*"state":"delivered"'
  'status: requested' '"status":"refunded"'
  'signature is not this operator' '"amount":2500,.*"status":"created"' 'answer lost' 'the merchant is credited 2 475 F' 'asking: true'
  '"amount":2500,.*"status":"succeeded"' '^  connector pawapay: .*this machine' 'Live mode is not ready'
)
printf '%s\n' "${seen[@]}" >"$work/seen"
awk 'NR == FNR { seen[++count] = $0; next } at < count && $0 ~ seen[at + 1] { at++ } END { if (at < count) { print "not seen: " seen[at + 1]; exit 1 } }' \
  "$work/seen" "$work/walk-answers" || fail "the walks show something else: $(cat "$work/walk-answers")"
say "the walks show what they say"

if PORT=0 npm start >"$work/second-service" 2>&1; then fail "a second service started on the same DATA_DIR"; fi
grep -q "already serves" "$work/second-service" || fail "the second service did not say why: $(cat "$work/second-service")"
succeeded || fail "the first service was disturbed by the second"
say "a second service on the same DATA_DIR says so and stops"

stop_service
say "stopped cleanly, the database last"

start_service second-start
succeeded || fail "the payment is not there after a second start: $(cat "$work/answer-1")"
if grep -q '^Try:' "$output"; then fail "the demo's keys were printed again"; fi
grep -q "Keys and secrets .*demo.json" "$output" || fail "a second start does not say where the keys are"
say "a second start keeps the data"

kill -KILL "$(service_pid)"
# The shell would report what we did on purpose.
wait "$npm_pid" 2>/dev/null || true
npm_pid=''
start_service start-after-kill
succeeded || fail "the payment is not there after the service was killed: $(cat "$work/answer-1")"
stop_service
say "killed, started again and stopped cleanly"
