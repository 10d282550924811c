import { writeAccount } from '../../beneficiaries/destination-facts.ts'
import { PROOF_AMOUNT } from '../../checkout/prove-number.ts'
import { backLink, differs, linkButton, operatorName, status } from '../../console/components.ts'
import { type FieldError, field, form, hiddenField } from '../../console/forms.ts'
import { icon } from '../../console/icons.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { drawAmount, writeAmount } from '../../platform/http/pages/write-values.ts'
import { operatorOf } from '../approvals/parts.ts'
import { sayFailure } from '../operations/payment-page.ts'
import type { OwnNumber, ProofFacts } from './own-number-facts.ts'

type Request = ScreenRequest<'console'>

const REFRESH_SECONDS = 5

/** The card with which an owner who is alone proves a number of their own. */
export function ownNumberCard(
  request: Request,
  { form_id, last }: OwnNumber,
  cooling_hours: number,
  errors: readonly FieldError[],
): Html {
  const { say, at, fields, session } = request
  const begun = last !== null && linkButton(at(`/destination/own/${last.session_id}`), say(['Continuer', 'Continue']))
  const how = say(
    [
      'Payez {sum} depuis ce numéro : ils entrent dans votre boutique, et le numéro est prouvé.',
      'Pay {sum} from this number: they come into your shop, and the number is proven.',
    ],
    { sum: writeAmount(PROOF_AMOUNT) },
  )
  const number = field(
    {
      name: 'number',
      label: say(['Votre numéro', 'Your number']),
      hint: say(['Au nom de {name}.', 'In the name of {name}.'], { name: session.person.name }),
      value: fields.text('number'),
      type: 'tel',
      more: { inputmode: 'tel', autocomplete: 'tel', maxlength: '40' },
    },
    errors,
  )
  const words = say(['Payer {sum} depuis ce numéro', 'Pay {sum} from this number'], { sum: writeAmount(PROOF_AMOUNT) })
  const button = html`<button class="wide">${icon('phone')}${words}</button>`
  const alone = say(
    [
      'Personne d’autre n’a à confirmer. Utilisable {hours} h plus tard.',
      'Nobody else has to confirm. It can be used {hours} h later.',
    ],
    { hours: cooling_hours },
  )
  const easiest = html`<p><span class="tag go">${say(['Le plus simple', 'The simplest'])}</span></p>`
  const title = html`<h2>${say(['Votre numéro', 'Your number'])}</h2>`
  const head = html`<header>${easiest}${title}<p class="soft">${how}</p></header>`
  const content = html`${head}<div class="stack">${begun && html`<p class="acts">${begun}</p>`}
${hiddenField('form', form_id)}${number}${button}<p class="hint">${alone}</p></div>`
  return form(request, at('/destination/own'), content, { class: 'slip' })
}

/** The page of a number that is being proven: the payer's turn, why it failed, or the choice. @param refused why it cannot be chosen */
export function ownNumberView(request: Request, facts: ProofFacts, refused: string | null): ScreenView {
  const { say, at } = request
  const { proof, sale, chosen } = facts
  const moving = sale.state !== 'paid' && sale.state !== 'over' && sale.state !== 'failed'
  const title = say(['Votre numéro', 'Your number'])
  const why = refused !== null && html`<div class="errors" role="alert"><p>${refused}</p></div>`
  const number = html`<h1>${writeAccount(proof.msisdn)}</h1>`
  const whom = html`<p class="say">${operatorName(operatorOf(proof.operator))} · ${proof.holder}</p>`
  const head = html`<header aria-live="polite">${number}${whom}${standing(request, facts)}</header>`
  const main = html`${backLink(at('/destination'), say(['Où va votre argent', 'Where your money goes']))}
<div class="narrow">${why}<article class="slip">${head}<div class="stack">${nextPart(request, facts)}</div></article></div>`
  const { person: _person, msisdn, ...shown } = proof
  return {
    kind: 'view',
    status: refused === null ? 200 : 409,
    title,
    main,
    facts: { proof: { ...shown, last4: msisdn.slice(-4) }, sale, chosen },
    moving,
    ...(moving && { refresh_seconds: REFRESH_SECONDS }),
  }
}

function standing({ say }: Request, { sale: { state, session } }: ProofFacts): Html {
  const sum = drawAmount(session.amount)
  switch (state) {
    case 'paid':
      return html`<p class="gap">${status('ok', say(['Prouvé', 'Proven']))}</p>`
    case 'failed':
    case 'over':
      return html`<p class="gap">${status('bad', say(['Pas payé', 'Not paid']))}</p>`
    case 'doubt':
      return html`<p class="gap">${status('doubt', say(['En vérification', 'Being checked']))}</p>`
    default:
      return html`${sum}<p class="gap">${status('going', say(['À payer sur ce téléphone', 'To pay on this phone']))}</p>`
  }
}

function nextPart(request: Request, facts: ProofFacts): Html {
  const { say, at } = request
  const { sale, chosen, proof } = facts
  const { state, attempt, url } = sale
  if (chosen) {
    const text = say(['Ce numéro est choisi.', 'This number is chosen.'])
    return html`<p>${text}</p><p class="acts">${linkButton(at('/destination'), say(['Voir', 'See']))}</p>`
  }
  switch (state) {
    case 'paid':
      return choosePart(request, facts)
    case 'failed':
    case 'over': {
      const why = attempt === null ? null : sayFailure(say, attempt.failure_code)
      const nothing = say(['Rien n’a été pris.', 'Nothing was taken.'])
      const again = linkButton(at('/destination'), say(['Recommencer', 'Begin again']))
      return html`<p>${why} ${nothing}</p><p class="acts">${again}</p>`
    }
    case 'doubt': {
      const wait = say([
        'L’opérateur n’a pas encore répondu. Ne payez pas une deuxième fois.',
        'The operator has not answered yet. Do not pay a second time.',
      ])
      return html`<p>${wait}</p>`
    }
    case 'asked': {
      const dialled = attempt?.dial_code ?? null
      const how =
        dialled === null
          ? say(['Confirmez la demande sur {number}.', 'Confirm the prompt on {number}.'], {
              number: writeAccount(proof.msisdn),
            })
          : say(['Rien sur ce téléphone ? Composez {code}.', 'Nothing on this phone? Dial {code}.'], { code: dialled })
      return html`<p>${how}</p>`
    }
    case 'open':
    case 'payers_turn': {
      const open = linkButton(url, say(['Payer maintenant', 'Pay now']))
      const same = say(['Avec ce numéro, pas un autre.', 'With this number, no other.'])
      return html`<p class="acts">${open}</p><p class="hint">${same}</p>`
    }
  }
}

function choosePart(request: Request, { proof, cooling_hours }: ProofFacts): Html {
  const { say, at } = request
  const { name_match } = proof
  const named = {
    match: say(['L’opérateur connaît ce numéro au même nom.', 'The operator knows this number under the same name.']),
    close: say(['L’opérateur connaît un nom proche.', 'The operator knows a similar name.']),
    unknown: null,
  }[name_match ?? 'unknown']
  const paid = say(['100 F CFA payés depuis ce numéro, à vous.', '100 francs paid from this number, they are yours.'])
  const known = [{ same: true, text: paid }, ...(named === null ? [] : [{ same: name_match === 'match', text: named }])]
  const button = html`<button class="wide">${icon('finger')}${say(['Choisir mon numéro', 'Choose my number'])}</button>`
  const after = say(
    [
      'Sert {hours} h plus tard. Ce délai vous laisse le temps de dire non si ce n’était pas vous.',
      'It can be used {hours} h later. The delay gives you time to object if it was not you.',
    ],
    { hours: cooling_hours },
  )
  const choose = form(request, at(`/destination/own/${proof.session_id}/choose`), button)
  return html`${differs(known)}${choose}<p class="hint">${after}</p>`
}
