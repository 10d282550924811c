import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/platform/config.ts'
import { fileSettings } from '../../src/platform/secret-files.ts'
import { readTree, root, textsOf } from './tree.ts'

// The files of deploy/ agree with the image and the settings.

const tree = await readTree()
const files = textsOf(tree, /^deploy\//)
const textOf = (path: string) => files.find((file) => file.path === `deploy/${path}`)!.text

const ACCOUNT = '10001:10001'
const PORTS = ['3000', '9464']

const settings = new Set<string>(fileSettings.map((name) => `${name}_FILE`))
readConfig(new Proxy({}, { get: (_, name) => void settings.add(String(name)) }))

/** The names that are no setting, nor that of a setting's file. */
const unknown = (names: readonly string[]) => names.filter((name) => !settings.has(name))

/** Runs a linter on files of deploy/. @returns null where it is not installed; otherwise what it says, empty if it has nothing to say */
function lint(program: string, ...words: string[]): string | null {
  const { error, status, stdout, stderr } = spawnSync(program, words, { cwd: root, encoding: 'utf8' })
  if (error !== undefined) return null
  return status === 0 ? '' : stdout + stderr
}

type ComposeService = {
  image: string
  user?: string
  read_only?: boolean
  expose?: string[]
  environment?: Record<string, string>
  secrets?: string[]
  networks?: string[] | Record<string, { ipv4_address?: string } | null>
}

/** The name of a setting, whether its value is in a file or not. */
const settingOf = (name: string) => name.replace(/_FILE$/, '')

test('compose.yaml has the account, the ports and the settings of the image', () => {
  const text = textOf('compose.yaml')
  const { services, secrets } = parse(text, { merge: true }) as {
    services: Record<string, ComposeService>
    secrets: Record<string, unknown>
  }
  const ours = Object.entries(services).filter(([, { image }]) => image.includes('bandama'))
  assert.deepEqual(
    ours.map(([name]) => name),
    ['api', 'worker'],
  )
  const { version } = JSON.parse(textsOf(tree, /^package\.json$/)[0]!.text) as { version: string }
  for (const [name, { image, user, read_only, expose, environment, secrets: given }] of ours) {
    assert.equal(image, `localhost/bandama:${version}`, name)
    assert.deepEqual([user, read_only], [ACCOUNT, true], name)
    assert.deepEqual(expose, name === 'api' ? PORTS : PORTS.slice(1), name)
    assert.deepEqual(unknown(Object.keys(environment!)), [], name)
    for (const [setting, value] of Object.entries(environment!)) {
      if (setting.endsWith('_FILE')) assert.ok(given!.includes(value.replace('/run/secrets/', '')), setting)
    }
    for (const secret of given!) assert.ok(secret in secrets, secret)
  }
  // The address that TRUST_PROXY names is Caddy's on the only network that it shares with the API, and nobody else gets it.
  const networksOf = (name: string) => {
    const { networks } = services[name]!
    return Array.isArray(networks) ? networks : Object.keys(networks!)
  }
  const shared = networksOf('caddy').filter((name) => networksOf('api').includes(name))
  assert.deepEqual(shared, ['front'])
  const { front } = services.caddy!.networks as Record<string, { ipv4_address?: string }>
  assert.equal(`${front!.ipv4_address}/32`, services.api!.environment!.TRUST_PROXY)
  assert.match(text, /subnet: 172\.31\.250\.0\/24, ip_range: 172\.31\.250\.128\/25/)
  assert.equal(services.postgres!.environment!.POSTGRES_USER, 'postgres', 'the service is no superuser')
  for (const port of PORTS) assert.ok(textOf('build-image').includes(`"${port}/tcp":{}`), `the image has ${port}`)
  assert.ok(textOf('build-image').includes(`"User":"${ACCOUNT}"`))
  assert.ok(textOf('Containerfile').includes(`\nUSER ${ACCOUNT}\nEXPOSE ${PORTS.join(' ')}\n`))
})

type Template = { spec: { securityContext: Record<string, unknown>; containers: Record<string, unknown>[] } }
type Manifest = {
  kind: string
  data?: Record<string, string>
  metadata: { name: string }
  spec?: { replicas?: number; template?: Template; jobTemplate?: { spec: { template: Template } } }
}

test('the manifests for Kubernetes have them too, and are valid', (context) => {
  const manifests = parseAllDocuments(textOf('kubernetes/bandama.yaml')).map((one) => one.toJS() as Manifest)
  const [uid, gid] = ACCOUNT.split(':').map(Number)
  const pods = manifests.flatMap(({ spec }) => spec?.template?.spec ?? spec?.jobTemplate?.spec.template.spec ?? [])
  assert.equal(pods.length, 3)
  for (const { securityContext, containers } of pods) {
    assert.deepEqual([securityContext.runAsUser, securityContext.runAsGroup], [uid, gid])
    for (const { ports, securityContext: own } of containers) {
      assert.equal((own as { readOnlyRootFilesystem: boolean }).readOnlyRootFilesystem, true)
      for (const { containerPort } of (ports ?? []) as { containerPort: number }[]) {
        assert.ok(PORTS.includes(String(containerPort)))
      }
    }
  }
  const config = manifests.find(({ kind }) => kind === 'ConfigMap')!
  assert.deepEqual(unknown(Object.keys(config.data!)), [])
  const api = manifests.find(({ metadata }) => metadata.name === 'bandama-api')!
  if (api.spec!.replicas! > 1)
    assert.ok(Object.keys(config.data!).map(settingOf).includes('REDIS_URL'), 'one limit for all')
  const said = lint('kubernetes-validate', '--strict', 'deploy/kubernetes/bandama.yaml')
  if (said === null) context.diagnostic('kubernetes-validate is not installed')
  else assert.equal(said, '')
})

test('no secret of compose.yaml comes into an image or a commit', () => {
  const linesOf = (path: string) => {
    const lines = textsOf(tree, new RegExp(`^\\${path}$`))[0]!
      .text.trimEnd()
      .split('\n')
    return lines.map((line) => line.replace(/^\/|\/$/g, ''))
  }
  const secrets = (parse(textOf('compose.yaml'), { merge: true }) as { secrets: Record<string, { file: string }> })
    .secrets
  assert.ok(Object.values(secrets).every(({ file }) => file.startsWith('./secrets/')))
  assert.deepEqual(linesOf('.dockerignore'), linesOf('.containerignore'))
  for (const path of ['.gitignore', '.dockerignore']) assert.ok(linesOf(path).includes('deploy/secrets'), path)
})

test('hadolint has nothing to say about the Containerfile', (context) => {
  const said = lint('hadolint', 'deploy/Containerfile')
  if (said === null) context.skip('hadolint is not installed')
  else assert.equal(said, '')
})

/** The most that `systemd-analyze security` may count for a unit, of 10. */
const EXPOSURE_MAX = 1.5
const units = files.filter(({ path }) => path.endsWith('.service'))
test('the units expose little', (context) => {
  assert.ok(units.length >= 4)
  for (const { path } of units) {
    const { error, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', path], {
      cwd: root,
      encoding: 'utf8',
    })
    if (error !== undefined) return context.skip('systemd-analyze is not installed')
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? []
    assert.ok(Number(exposure) <= EXPOSURE_MAX, `${path}: ${exposure}`)
  }
})
