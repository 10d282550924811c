import type { Language } from '../../values/language.ts'
import { sayIn } from '../say.ts'

/** The mail with the code that proves an address. It has no link: the page that asks for the code is open already. */
export function writeCodeMail(brand: string, code: string, language: Language): { subject: string; text: string } {
  const say = sayIn(language)
  const paragraphs = [
    say(
      [
        'Votre code : {code}. Écrivez-le à la page de votre invitation, dans l’heure. Il prouve que cette adresse est la vôtre.',
        'Your code: {code}. Type it on the page of your invitation within the hour. It proves that this address is yours.',
      ],
      { code },
    ),
    say([
      'Si vous n’avez ouvert aucune invitation, ne donnez ce code à personne : quelqu’un essaie d’ouvrir un compte à votre nom.',
      'If you opened no invitation, give this code to nobody: somebody tries to open an account in your name.',
    ]),
  ]
  const subject = say(['{brand} : le code de votre invitation', '{brand}: the code of your invitation'], { brand })
  return { subject, text: `${paragraphs.join('\n\n')}\n` }
}
