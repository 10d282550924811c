import os

from bandama import Bandama, outcome_of

client = Bandama(os.environ["BANDAMA_KEY"])

payout = client.payouts.create(
    {"amount": 25000, "beneficiary": {"msisdn": "0500000010", "operator": "mtn_ci", "name": "Awa Koné"}},
    # fr: gardée avec votre ordre avant l'appel, et jamais tirée au hasard ici
    # en: kept with your order before the call, and never drawn at random here
    idempotency_key="salaire-2026-09-awa",
)

# fr: au-dessus d'un plafond la réponse est une demande, et rien n'est parti
# en: above a cap the answer is a request, and nothing has left
print(payout["object"], outcome_of(payout))
