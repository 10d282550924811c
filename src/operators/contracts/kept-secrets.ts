import type { Settings, SettingsFault } from './connector-settings.ts'
import type { ConnectorType } from './connector-type.ts'

/**
 * The secrets that a change of settings would take along to another address without their being typed, a fault each; none while every
 * address stays. Secrets go to the address that they were given for: otherwise a person who may change settings, and never sees a secret,
 * reads all of them on a host of their own.
 * @param standing the settings in force
 * @param wanted the settings as the change would leave them
 * @param put what was typed
 */
export function keptSecretFaults(
  type: ConnectorType,
  { standing, wanted, put }: { standing: Settings; wanted: Settings; put: Settings },
): SettingsFault[] {
  if (type.addresses.every((key) => standing[key] === wanted[key])) return []
  return type.secrets
    .filter((key) => standing[key] !== undefined && wanted[key] !== undefined && !Object.hasOwn(put, key))
    .map((key) => ({
      key,
      problem: [
        `${key} : tapez de nouveau ce secret, puisque l’adresse change.`,
        `${key} must be typed again with another address.`,
      ],
    }))
}
