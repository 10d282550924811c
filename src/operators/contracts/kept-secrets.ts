import type { Settings, SettingsFault } from './connector-settings.ts'
import type { ConnectorType } from './connector-type.ts'

/**
 * Returns a fault for each secret that must be typed again because the change moves it to another address; none while every address stays.
 * Otherwise a person who can change settings but not see secrets could send all of them to their own host.
 * @param standing the settings in force
 * @param wanted the settings after the change
 * @param put the settings that the person typed
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
