import os

from bandama import Bandama, outcome_of

# fr: la clé dit le mode (test ou réel) ; le paquet connaît l'adresse
# en: the key says the mode (test or live); the package knows the address
client = Bandama(os.environ["BANDAMA_KEY"])

payment = client.payments.create(
    {"amount": 10000, "counterparty": {"msisdn": "0700000000"}, "merchant_reference": "CMD-417"}
)

# fr: un 201 n'est pas encore de l'argent
# en: a 201 is no money yet
end = client.payments.wait(payment["id"])
print(outcome_of(end), end["net_amount"])
