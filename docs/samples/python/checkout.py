import os

from bandama import Bandama

client = Bandama(os.environ["BANDAMA_KEY"])

session = client.checkout.create(
    {"amount": 12500, "description": "Robe wax, taille M", "return_url": "https://boutique.example.ci/merci"},
    idempotency_key="panier-417",
)
print(session["url"])
