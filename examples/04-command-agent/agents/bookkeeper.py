"""A command agent: the invocation comes as JSON on stdin, the result goes as JSON to stdout, everything else to stderr."""
import csv
import json
import os
import sys
from collections import defaultdict

import world


def main():
    invocation = json.load(sys.stdin)
    print(f"{invocation['actorId']}: {invocation['task']['instruction']}", file=sys.stderr)
    refunds = [give_back(charge) for charges in by_order(all_charges()).values() for charge in charges[1:]]
    write_table(refunds)
    json.dump({"refunded": [refund["chargeId"] for refund in refunds]}, sys.stdout)


def all_charges():
    charges, more = [], {}
    while True:
        page = world.call("payments", "charge.list", {"status": "captured", "limit": 100, **more})
        charges += page["items"]
        if not page["hasMore"]:
            return sorted(charges, key=lambda charge: charge["createdAtUs"])
        more = {"startingAfter": page["items"][-1]["id"]}


def by_order(charges):
    """The same order, customer, amount and currency: charged twice is charged once too often."""
    orders = defaultdict(list)
    for charge in charges:
        if "orderId" in charge["metadata"]:
            orders[charge["metadata"]["orderId"], charge["customerId"], charge["amount"], charge["currency"]].append(charge)
    return orders


def give_back(charge):
    # The key names what is done, so that a second attempt, or a second run, is the same refund.
    refund = world.call("payments", "refund.create", {"chargeId": charge["id"], "reason": "duplicate"}, key=f"duplicate-{charge['id']}")
    print(f"{charge['id']}: gave {refund['amount']} {refund['currency']} back", file=sys.stderr)
    return refund


def write_table(refunds):
    """What lies in this folder when the agent ends is kept with the run."""
    with open(os.path.join(os.environ["SERVICE_ATTACHMENTS_DIR"], "refunds.csv"), "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["refund", "charge", "amount", "currency"])
        table.writerows([refund["id"], refund["chargeId"], refund["amount"], refund["currency"]] for refund in refunds)


main()
