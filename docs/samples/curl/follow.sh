KEY=bdm_sk_test_…

# fr: attend 25 secondes au plus ; la réponse donne next, à renvoyer comme after
# en: waits 25 seconds at most; the answer has next, to send as after
curl -sS "https://pay.example.ci/x/events?after=begin&wait=25" -H "Authorization: Bearer $KEY"
