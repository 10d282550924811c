import type { Effect } from '../../platform/commands/effects.ts'
import { type Tenant, tenantOf } from '../../values/caller.ts'
import { tellPeople } from './notify.ts'

/** Notifies the people who may confirm a key that sends money that it waits for one of them. */
export function tellOfKey({ key_id, created_by, ...of }: Tenant & { key_id: string; created_by: string }): Effect[] {
  return [tellPeople({ name: 'key_waits', about: tenantOf(of), subject: key_id, except: [created_by] })]
}
