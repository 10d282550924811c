import { Bandama } from 'bandama'

const client = new Bandama({ key: process.env.BANDAMA_KEY! })
const { available, transfer } = await client.balances()
console.log({ available, transfer })
