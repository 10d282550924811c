import { createPauses } from '../../pauses.ts'
import { isOn, tagsOf, textIn } from './xml-tags.ts'

/** A text to which cells refer by index. `struck`: a part of it is struck through. */
export type SharedText = { readonly text: string; readonly struck: boolean }

/** Reads the shared texts. A phonetic reading is not a part of its text. */
export async function readSharedTexts(xml: string): Promise<SharedText[]> {
  const pauses = createPauses()
  const texts: SharedText[] = []
  let [text, struck, aid] = ['', false, false]
  for (const tag of tagsOf(xml)) {
    if (pauses.isDue()) await pauses.take()
    if (tag.name === 'rPh') aid = !tag.closes && !tag.empty
    else if (tag.name === 'strike') struck ||= !tag.closes && isOn(tag, 'val', true)
    else if (tag.name === 't' && tag.closes && !aid) text += textIn(tag.before)
    else if (tag.name === 'si' && (tag.closes || tag.empty)) {
      texts.push({ text, struck })
      text = ''
      struck = false
    }
  }
  return texts
}
