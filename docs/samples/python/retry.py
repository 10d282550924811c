import os

from bandama import Bandama, BandamaError

client = Bandama(os.environ["BANDAMA_KEY"])
order = {"key": "commande-417-envoi", "amount": 25000, "msisdn": "0500000010", "name": "Awa Koné"}

try:
    client.payouts.create(
        {"amount": order["amount"], "beneficiary": {"msisdn": order["msisdn"], "name": order["name"]}},
        idempotency_key=order["key"],
    )
except BandamaError as error:
    # fr: vrai : rappelez plus tard avec la même clé, ne refaites rien d'autre
    # en: true: call again later with the same key, do nothing else anew
    print(error.code, error.may_have_happened, error.doc_url)
