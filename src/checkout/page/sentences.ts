import type { FailureCode } from '../../words/failure-codes.ts'

/** One sentence in the order of `pageLanguages`, French and English. `{names}` stand for what `sayIn` puts there. */
type Sentence = readonly [fr: string, en: string]

/** Everything the page says, except why a payment failed. A sentence without its English, or without its French, does not compile. */
export const sentences = {
  title_pay: ['Payer {merchant}', 'Pay {merchant}'],
  to: ['À payer à', 'Pay to'],
  amount: ['Montant', 'Amount'],
  fee: ['Frais', 'Fee'],
  total: ['Total', 'Total'],
  fee_is_added: [
    'Des frais s’ajoutent. Le total vous est montré avant de payer.',
    'A fee is added. You see the total before you pay.',
  ],
  test_band: ['Mode test : aucun argent ne bouge.', 'Test mode: no money moves.'],
  other_language: ['English', 'Français'],
  language_nav: ['Langue', 'Language'],
  foot: ['Paiement mobile par {brand}', 'Mobile payment by {brand}'],
  foot_care: [
    'Ne donnez votre code secret à personne. Cette page ne le demande jamais.',
    'Never give anyone your secret code. This page never asks for it.',
  ],
  until: ['Valable jusqu’au {date}.', 'Valid until {date}.'],

  number: ['Votre numéro de téléphone', 'Your phone number'],
  number_hint: ['Dix chiffres, comme 07 00 00 00 00.', 'Ten digits, such as 07 00 00 00 00.'],
  operator: ['Payer avec', 'Pay with'],
  operator_hint: ['Choisissez le compte d’où part l’argent.', 'Choose the wallet that the money comes from.'],
  operator_unchosen: [
    'Sans choix, c’est l’opérateur de votre numéro.',
    'Without a choice, it is the operator of your number.',
  ],
  free_amount: ['Montant en francs', 'Amount in francs'],
  free_bounds: ['De {min} à {max}.', 'From {min} to {max}.'],
  free_min: ['Au moins {min}.', 'At least {min}.'],
  pay: ['Payer {amount}', 'Pay {amount}'],
  pay_free: ['Payer', 'Pay'],
  continue: ['Continuer', 'Continue'],
  retry: ['Réessayer : payer {amount}', 'Try again: pay {amount}'],
  what_next: ['Ensuite, vous confirmerez avec votre opérateur.', 'Next, you confirm with your operator.'],

  error_title: ['Il y a quelque chose à corriger', 'Something needs correcting'],
  error_number: [
    'Écrivez un numéro mobile ivoirien de dix chiffres, qui commence par 01, 05 ou 07.',
    'Write an Ivorian mobile number of ten digits, starting with 01, 05 or 07.',
  ],
  error_operator: ['Choisissez un des opérateurs proposés.', 'Choose one of the operators offered.'],
  error_amount: [
    'Écrivez un montant en francs, en chiffres, sans virgule.',
    'Write an amount in francs, in digits, without decimals.',
  ],
  error_too_small: ['Ce montant est trop petit : au moins {min}.', 'This amount is too small: at least {min}.'],
  error_too_large: ['Ce montant est trop grand : au plus {max}.', 'This amount is too large: at most {max}.'],
  error_above_limit: ['Ce montant dépasse la limite d’un paiement.', 'This amount is above the limit for one payment.'],
  error_code: ['Écrivez le code reçu, en chiffres.', 'Write the code you received, in digits.'],

  starting_title: ['Nous préparons votre paiement', 'We are preparing your payment'],
  starting_text: ['Gardez votre téléphone près de vous.', 'Keep your phone at hand.'],
  approve_title: ['Confirmez sur votre téléphone', 'Approve on your phone'],
  approve_1: [
    'Une demande de {operator} arrive sur le numéro qui finit par {digits}.',
    'A request from {operator} is coming to the number that ends in {digits}.',
  ],
  approve_2: ['Vérifiez le montant : {amount}.', 'Check the amount: {amount}.'],
  approve_3: [
    'Tapez votre code secret sur le téléphone, jamais ici.',
    'Type your secret code on the phone, never here.',
  ],
  dial_title: ['Composez ce code pour confirmer', 'Dial this code to approve'],
  dial_text: ['Sur le téléphone du numéro qui finit par {digits} :', 'On the phone whose number ends in {digits}:'],
  dial_button: ['Composer {code}', 'Dial {code}'],
  code_title: ['Tapez le code de paiement', 'Type the payment code'],
  code_text: [
    '{operator} vous donne un code à usage unique pour ce paiement. Ce n’est pas votre code secret.',
    '{operator} gives you a one-time code for this payment. It is not your secret code.',
  ],
  code_how: ['Pour l’obtenir, composez {code}.', 'To get it, dial {code}.'],
  code_label: ['Code à usage unique', 'One-time code'],
  code_digits: [
    'Vous le recevez par message ou dans le menu de votre opérateur.',
    'You get it by message or in your operator’s menu.',
  ],
  code_button: ['Valider le code', 'Confirm the code'],
  redirect_title: ['Continuez chez {operator}', 'Continue with {operator}'],
  redirect_text: [
    'Confirmez {amount} dans l’application, puis revenez sur cette page.',
    'Approve {amount} in the app, then come back to this page.',
  ],
  redirect_button: ['Ouvrir {operator}', 'Open {operator}'],
  unsure_title: ['Ne payez pas une deuxième fois', 'Do not pay a second time'],
  unsure_text: [
    'Nous ne savons pas encore si votre paiement est passé. Nous le demandons à {operator}.',
    'We do not know yet whether your payment went through. We are asking {operator}.',
  ],
  unsure_keep: [
    'Vous pouvez fermer cette page et y revenir avec le même lien : la réponse s’affichera ici.',
    'You can close this page and come back with the same link: the answer will show here.',
  ],
  reference_for_help: ['Votre référence, si vous appelez {merchant} :', 'Your reference, if you call {merchant}:'],
  waiting: ['En attente de la réponse…', 'Waiting for the answer…'],
  updates_itself: ['Cette page se met à jour toute seule.', 'This page updates by itself.'],
  refresh_stop: ['Ne plus actualiser toute seule', 'Stop updating by itself'],
  refresh_start: ['Actualiser toute seule', 'Update by itself'],
  refresh: ['Actualiser maintenant', 'Refresh now'],
  offline: ['Pas de réseau. Nous réessayons…', 'No network. Trying again…'],

  failed_title: ['Le paiement n’est pas passé', 'The payment did not go through'],
  nothing_taken: ['Rien ne vous a été pris.', 'Nothing was taken from you.'],
  try_again: [
    'Vous pouvez réessayer, avec un autre opérateur ou un autre numéro si vous voulez.',
    'You can try again, with another operator or number if you like.',
  ],
  lapsed: ['La demande a expiré avant d’être confirmée.', 'The request lapsed before it was approved.'],

  receipt_title: ['Paiement réussi', 'Payment successful'],
  receipt_refunded: ['Paiement remboursé', 'Payment refunded'],
  receipt_part_refunded: ['Paiement remboursé en partie', 'Payment partly refunded'],
  receipt_text: ['{merchant} a bien reçu votre paiement.', '{merchant} has received your payment.'],
  receipt_refunded_text: ['Cet argent vous a été rendu.', 'This money was returned to you.'],
  receipt_part_text: ['Une partie de cet argent vous a été rendue.', 'Part of this money was returned to you.'],
  receipt: ['Reçu', 'Receipt'],
  paid_to: ['Payé à', 'Paid to'],
  amount_taken: ['Total payé', 'Total paid'],
  paid_with: ['Opérateur', 'Operator'],
  reference: ['Référence', 'Reference'],
  merchant_reference: ['Référence du marchand', 'Merchant’s reference'],
  description: ['Objet', 'For'],
  date: ['Date', 'Date'],
  status: ['État', 'Status'],
  status_paid: ['Payé', 'Paid'],
  status_refunded: ['Remboursé', 'Refunded'],
  status_part_refunded: ['Remboursé en partie', 'Partly refunded'],
  print: ['Imprimer le reçu', 'Print the receipt'],
  back_to: ['Retourner chez {merchant}', 'Return to {merchant}'],
  qr_text: [
    'Ce code prouve le paiement. Scannez-le pour vérifier le reçu.',
    'This code proves the payment. Scan it to check the receipt.',
  ],
  qr_link: ['Vérifier ce reçu', 'Check this receipt'],
  qr_receipt: ['Code à scanner pour vérifier ce reçu', 'Code to scan to check this receipt'],

  expired_title: ['Cette demande de paiement a expiré', 'This payment request has expired'],
  expired_text: ['Demandez un nouveau lien à {merchant}.', 'Ask {merchant} for a new link.'],
  closed_title: ['Cette demande de paiement est fermée', 'This payment request is closed'],
  closed_text: [
    'Elle a été payée ou annulée. Il n’y a rien à payer ici.',
    'It was paid or cancelled. There is nothing to pay here.',
  ],
  link_title: ['Ce lien n’est plus disponible', 'This link is no longer available'],
  link_text: [
    'Il a été utilisé, fermé, ou il a expiré. Demandez un nouveau lien à {merchant}.',
    'It was used, closed, or it has expired. Ask {merchant} for a new link.',
  ],
  inactive_title: ['{merchant} ne peut pas encaisser pour le moment', '{merchant} cannot take payments for the moment'],
  inactive_text: ['Contactez {merchant} pour payer autrement.', 'Contact {merchant} to pay another way.'],
  not_found_title: ['Il n’y a rien à cette adresse', 'There is nothing at this address'],
  not_found_text: [
    'Vérifiez que le lien est complet, ou demandez-en un nouveau à la personne qui vous l’a envoyé.',
    'Check that the link is complete, or ask whoever sent it for a new one.',
  ],
  too_many_title: ['Trop d’essais pour ce numéro', 'Too many attempts for this number'],
  too_many_text: [
    'Pour protéger ce compte, attendez un peu avant de réessayer.',
    'To protect this wallet, wait a while before you try again.',
  ],
  busy_title: ['Trop de demandes à la fois', 'Too many requests at once'],
  busy_text: ['Attendez une minute, puis actualisez la page.', 'Wait a minute, then refresh the page.'],
  fault_title: ['Un problème de notre côté', 'A problem on our side'],
  fault_text: [
    'Revenez à la page du paiement : elle dit où il en est. Si elle demande de payer, rien n’est parti.',
    'Go back to the payment page: it says how it stands. If it asks you to pay, nothing has left.',
  ],
  stale_title: ['Cette page n’est plus à jour', 'This page is out of date'],
  stale_text: [
    'Rien n’est parti. Ouvrez à nouveau la page, puis recommencez.',
    'Nothing has left. Open the page again, then start over.',
  ],
  stale_form_text: ['Rien n’est parti. Envoyez-la encore une fois.', 'Nothing has left. Send it once more.'],
  fault_form_text: [
    'Réessayez dans un instant : vous ne paierez pas deux fois.',
    'Try again in a moment: you will not pay twice.',
  ],
  busy_link_title: ['Quelqu’un paie avec ce lien', 'Somebody is paying with this link'],
  busy_link_text: [
    'Il ne sert qu’une fois. Si ce paiement n’aboutit pas, il sera de nouveau disponible ici.',
    'It works only once. If that payment does not go through, it will be available here again.',
  ],
  open_again: ['Ouvrir à nouveau la page', 'Open the page again'],
  request_id: ['Numéro à citer : {id}', 'Number to quote: {id}'],
  your_operator: ['votre opérateur', 'your operator'],
  link_bare_text: [
    'Demandez un nouveau lien à la personne qui vous l’a envoyé.',
    'Ask whoever sent it for a new link.',
  ],
  expired_bare_text: [
    'Rien ne vous a été pris. Demandez un nouveau lien à la personne qui vous l’a envoyé.',
    'Nothing was taken from you. Ask whoever sent it for a new link.',
  ],
  bounds_text: [
    'Rien n’est parti. Prévenez la personne qui vous a envoyé ce lien.',
    'Nothing has left. Tell whoever sent you this link.',
  ],

  verify_title: ['Vérifier un reçu', 'Check a receipt'],
  verify_text: [
    'Un message ou une image se falsifie ; ce contrôle, non. Collez ici le texte du code du reçu.',
    'A message or a picture can be faked; this check cannot. Paste the text of the receipt’s code here.',
  ],
  verify_label: ['Texte du reçu', 'Text of the receipt'],
  verify_button: ['Vérifier', 'Check'],
  verify_valid: ['Ce reçu est authentique', 'This receipt is genuine'],
  verify_valid_text: [
    'Comparez ces lignes avec ce qui vous est montré.',
    'Compare these lines with what you are shown.',
  ],
  verify_refunded: [
    'Reçu authentique, mais le paiement a été remboursé',
    'A genuine receipt, but the payment was refunded',
  ],
  verify_part_refunded: ['Reçu authentique, mais remboursé en partie', 'A genuine receipt, but partly refunded'],
  verify_test: ['Reçu de test : aucun argent n’a été payé', 'A test receipt: no money was paid'],
  verify_invalid: ['Ce reçu n’est pas authentique', 'This receipt is not genuine'],
  verify_invalid_text: [
    'Le texte n’a pas été signé par nous, ou il a été modifié ou coupé. Ne livrez rien sur cette preuve.',
    'We did not sign this text, or it was changed or cut. Do not hand anything over on this proof.',
  ],
  verify_another: ['Vérifier un autre reçu', 'Check another receipt'],

  poster_pay: ['Scannez pour payer', 'Scan to pay'],
  poster_any: ['Le montant que vous voulez', 'Any amount you like'],
  poster_qr: ['Code à scanner pour payer {merchant}', 'Code to scan to pay {merchant}'],
  poster_print: ['Imprimer l’affiche', 'Print the poster'],
  poster_size: ['Format A6, soit 105 × 148 mm.', 'A6 paper, 105 × 148 mm.'],
} as const satisfies Record<string, Sentence>

/** Why a payment failed, to the person who tried to pay. Codes of payouts, and our own troubles, are nothing a payer can mend. */
export const failureSentences: Record<FailureCode, Sentence> = {
  payer_insufficient_funds: ['Il n’y a pas assez d’argent sur ce compte.', 'There is not enough money in this wallet.'],
  payer_declined: ['La demande a été refusée sur le téléphone.', 'The request was declined on the phone.'],
  payer_timeout: ['La demande n’a pas été confirmée à temps.', 'The request was not approved in time.'],
  payer_not_found: ['Ce numéro n’a pas de compte chez cet opérateur.', 'This number has no wallet with this operator.'],
  payer_limit_reached: [
    'Ce compte a atteint sa limite chez l’opérateur.',
    'This wallet has reached its limit with the operator.',
  ],
  payer_account_blocked: [
    'L’opérateur n’autorise pas ce compte à payer.',
    'The operator does not allow this wallet to pay.',
  ],
  payer_wrong_code: ['Le code tapé n’était pas le bon.', 'The code typed was wrong.'],
  payment_in_progress: [
    'Un autre paiement attend déjà sur ce téléphone.',
    'Another payment is already waiting on this phone.',
  ],
  recipient_not_found: ['L’opérateur a refusé ce paiement.', 'The operator refused this payment.'],
  recipient_limit_reached: ['L’opérateur a refusé ce paiement.', 'The operator refused this payment.'],
  recipient_account_blocked: ['L’opérateur a refusé ce paiement.', 'The operator refused this payment.'],
  amount_out_of_bounds: ['Cet opérateur ne prend pas ce montant.', 'This operator does not take this amount.'],
  invalid_number: ['Cet opérateur n’accepte pas ce numéro.', 'This operator does not accept this number.'],
  operator_float_insufficient: [
    'L’opérateur n’a pas pu prendre ce paiement.',
    'The operator could not take this payment.',
  ],
  operator_account_blocked: [
    'L’opérateur n’a pas pu prendre ce paiement.',
    'The operator could not take this payment.',
  ],
  operator_configuration: ['Cet opérateur n’est pas disponible ici.', 'This operator is not available here.'],
  operator_unavailable: ['L’opérateur est en panne pour le moment.', 'The operator is down for the moment.'],
  operator_refused: ['L’opérateur a refusé sans dire pourquoi.', 'The operator refused without saying why.'],
  cancelled: ['Le paiement a été annulé.', 'The payment was cancelled.'],
}
