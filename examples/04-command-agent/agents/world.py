"""The agent's way to its world: over HTTP, or over the command line, whichever binding the target was given. Standard library only."""
import json
import os
import subprocess
import urllib.error
import urllib.request

ATTEMPTS_MAX = 6


class CallFailed(Exception):
    """A tool said no, or the world refused."""


def call(package, operation, arguments, key=None):
    """The value of a call. What may be tried again is, with the same key, so that it is not done twice."""
    for attempt in range(1, ATTEMPTS_MAX + 1):
        outcome = _outcome(package, operation, arguments, key)
        if outcome["kind"] == "ok":
            return outcome["value"]
        error = outcome["error"]
        if not error["retryable"] or attempt == ATTEMPTS_MAX:
            raise CallFailed(f"{package}/{operation}: {error['code']}: {error['message']}")


def _outcome(package, operation, arguments, key):
    over = _over_http if "SERVICE_HTTP_URL" in os.environ else _over_cli
    answer = over(package, operation, arguments, key)
    if "outcome" not in answer:
        raise CallFailed(f"{package}/{operation}: {answer.get('code')}: {answer.get('message')}")
    return answer["outcome"]


def _over_http(package, operation, arguments, key):
    body = {"arguments": arguments, **({} if key is None else {"idempotencyKey": key})}
    request = urllib.request.Request(
        f"{os.environ['SERVICE_HTTP_URL']}/v1/operations/{package}/{operation}",
        data=json.dumps(body).encode(),
        headers={"authorization": f"Bearer {os.environ['SERVICE_HTTP_TOKEN']}", "content-type": "application/json"},
    )
    # A proxy of the machine is not for a world on the same machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as refusal:
        return json.load(refusal)


def _over_cli(package, operation, arguments, key):
    command = ["drillyard", "world", "call", package, operation, "-"]
    if key is not None:
        command += ["--idempotency-key", key]
    # 1 says that the outcome is no success: it is on stdout all the same.
    ended = subprocess.run(command, input=json.dumps(arguments), capture_output=True, text=True)
    if not ended.stdout:
        raise CallFailed(f"drillyard ended with {ended.returncode}: {ended.stderr.strip()}")
    return json.loads(ended.stdout)
