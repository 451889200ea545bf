/** Checks a manifest, version 3. Each refusal names its field, and the file if one is missing. */
import { z } from 'zod'
import { ServiceError } from '../../../proto/errors.ts'
import type { ExtensionManifest } from '../../../proto/session/extension.ts'
import { guardedAmong, namesFiles, refusalOfPermission } from './permissions.ts'

const text = z.string()
const texts = z.array(text)
const file = text.min(1)
const icons = z.union([file, z.record(text, file)])

/** The fields that are checked here; all others are Chromium's to check. */
const fields = z.looseObject({
  manifest_version: z.literal(3, {
    error: 'must be 3; Chromium does not load extensions of version 2 any more',
  }),
  name: text.min(1),
  version: text.regex(/^\d{1,5}(\.\d{1,5}){0,3}$/, {
    error: 'must be one to four numbers with dots, such as 1.0.2',
  }),
  description: text.optional(),
  key: text.optional(),
  default_locale: text.optional(),
  permissions: texts.optional(),
  optional_permissions: texts.optional(),
  host_permissions: texts.optional(),
  optional_host_permissions: texts.optional(),
  background: z
    .looseObject({
      service_worker: file.optional(),
      scripts: z
        .undefined({ error: 'must be a service_worker; background scripts are of version 2' })
        .optional(),
    })
    .optional(),
  content_scripts: z
    .array(
      z.looseObject({
        matches: texts.optional(),
        include_globs: texts.optional(),
        js: texts.optional(),
        css: texts.optional(),
      }),
    )
    .optional(),
  action: z
    .looseObject({ default_popup: text.optional(), default_icon: icons.optional() })
    .optional(),
  icons: z.record(text, file).optional(),
  options_page: file.optional(),
  devtools_page: file.optional(),
  side_panel: z.looseObject({ default_path: file.optional() }).optional(),
  declarative_net_request: z
    .looseObject({ rule_resources: z.array(z.looseObject({ path: file })).optional() })
    .optional(),
})

type Fields = z.infer<typeof fields>

export interface CheckedManifest {
  readonly summary: ExtensionManifest
  readonly guarded: readonly string[]
  /** Whose messages its name and description may refer to. */
  readonly locale: string | undefined
  /** Of the manifest, in base64. */
  readonly key: string | undefined
  /** All fields, to be written anew. */
  readonly all: Readonly<Record<string, unknown>>
}

/**
 * Throws `bad_request`.
 *
 * @param has Whether the archive has that file.
 */
export function checkManifest(json: string, has: (path: string) => boolean): CheckedManifest {
  const given = parsed(json)
  const { data, error } = fields.safeParse(given)
  if (!data) {
    const [issue] = error.issues
    throw badManifest(issue!.path.join('.') || 'the whole', issue!.message)
  }
  checkFiles(data, has)
  const { name, version, description, permissions = [], host_permissions = [] } = data
  const all = [...permissions, ...(data.optional_permissions ?? [])]
  checkPermissions(data, all)
  return {
    summary: {
      ...{ name, version, manifest_version: 3, permissions, host_permissions },
      ...(description !== undefined && { description }),
    },
    guarded: guardedAmong(all),
    key: data.key,
    locale: data.default_locale,
    all: given,
  }
}

/** As strict JSON, though Chromium's parser accepts more: what it reads is what was checked. */
function parsed(json: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new ServiceError('bad_request', `manifest.json: ${(cause as Error).message}.`, {}, cause)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>
  }
  throw badManifest('the whole', 'must be an object')
}

function checkFiles(data: Fields, has: (path: string) => boolean): void {
  for (const [field, path] of filesOf(data)) {
    const plain = path.replace(/^\.?\//, '').replace(/[?#].*$/, '')
    if (plain !== '' && !has(plain)) throw badManifest(field, `names ${path}, which is not there`)
  }
}

/** Files that Chromium does not load an extension without. */
function* filesOf(data: Fields): Generator<readonly [field: string, path: string]> {
  const { background, content_scripts = [], action, icons, default_locale: locale } = data
  if (background?.service_worker !== undefined) {
    yield ['background.service_worker', background.service_worker]
  }
  for (const [i, { js = [], css = [] }] of content_scripts.entries()) {
    for (const path of js) yield [`content_scripts.${i}.js`, path]
    for (const path of css) yield [`content_scripts.${i}.css`, path]
  }
  if (action?.default_popup) yield ['action.default_popup', action.default_popup]
  for (const path of Object.values(icons ?? {})) yield ['icons', path]
  if (data.options_page !== undefined) yield ['options_page', data.options_page]
  if (data.devtools_page !== undefined) yield ['devtools_page', data.devtools_page]
  const { default_path: panel } = data.side_panel ?? {}
  if (panel !== undefined) yield ['side_panel.default_path', panel]
  for (const { path } of data.declarative_net_request?.rule_resources ?? []) {
    yield ['declarative_net_request.rule_resources', path]
  }
  if (locale !== undefined) yield ['default_locale', `_locales/${locale}/messages.json`]
}

function checkPermissions(data: Fields, permissions: readonly string[]): void {
  for (const name of permissions) {
    const reason = refusalOfPermission(name)
    if (reason !== undefined) throw badManifest('permissions', `may not have ${name}: ${reason}`)
  }
  const { host_permissions: hosts = [], optional_host_permissions: later = [] } = data
  const matches = (data.content_scripts ?? []).flatMap(({ matches = [] }) => matches)
  const pattern = [...permissions, ...hosts, ...later, ...matches].find(namesFiles)
  if (pattern === undefined) return
  throw badManifest('host_permissions', `may not have ${pattern}: files are closed to extensions`)
}

const badManifest = (field: string, what: string) =>
  new ServiceError('bad_request', `manifest.json: ${field} ${what}.`, { field: 'file' })
