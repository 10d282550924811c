import os

from bandama import Bandama, outcome_of

client = Bandama(os.environ["BANDAMA_KEY"])

paid = any(outcome_of(payment) == "paid" for payment in client.payments.list({"reference": "CMD-417"}))
print("paid" if paid else "not yet")
