import { readFile, writeFile } from 'node:fs/promises'
import { Bandama } from 'bandama'

const client = new Bandama({ key: process.env.BANDAMA_KEY! })

// fr: le curseur, dans votre base plutôt que dans un fichier
// en: the cursor, in your database rather than in a file
const after = await readFile('cursor.txt', 'utf8').catch(() => 'begin')

for await (const { event, cursor } of client.events.follow({ after })) {
  console.log(event.type, event.id)
  await writeFile('cursor.txt', cursor)
}
