"""Replace this by your agent. The task comes as JSON on stdin; what it prints on stdout is its result, stderr is its log."""

import json
import os
import re
import sys
import urllib.request

URL = os.environ["SERVICE_HTTP_URL"]
TOKEN = os.environ["SERVICE_HTTP_TOKEN"]


def use(operation_id, arguments):
    request = urllib.request.Request(
        f"{URL}/v1/operations/ticket-desk/{operation_id}",
        data=json.dumps({"arguments": arguments}).encode(),
        headers={"authorization": f"Bearer {TOKEN}", "content-type": "application/json"},
        method="POST",
    )
    with urllib.request.urlopen(request) as reply:
        outcome = json.load(reply)["outcome"]
    if outcome["kind"] != "ok":
        raise RuntimeError(f"{operation_id}: {outcome['error']['code']}: {outcome['error']['message']}")
    return outcome["value"]


def main():
    task = json.load(sys.stdin)["task"]
    print(task["instruction"], file=sys.stderr)
    answered = []
    for ticket in use("ticket.search", {"status": ["new"]})["items"]:
        billing = re.search(r"charged|refund|invoice", ticket["subject"], re.IGNORECASE)
        group_id = "grp_billing" if billing else "grp_support"
        agents = use("agent.list", {"groupId": group_id, "activeOnly": True})["items"]
        assignee = next(agent for agent in agents if agent["role"] == "agent")
        use("ticket.assign", {"ticketId": ticket["id"], "assigneeId": assignee["id"], "groupId": group_id})
        use("comment.add", {"ticketId": ticket["id"], "body": f"Thank you for writing. {assignee['name']} takes care of it."})
        answered.append(ticket["id"])
    print(json.dumps({"answered": answered}))


main()
