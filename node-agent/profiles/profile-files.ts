/**
 * Which files of a browser's folder are its profile: the site data and settings below, and nothing
 * else. Caches, histories and what belongs to the host or the session are not. A browser may have been
 * taken over by a page, so links are never followed.
 */
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { openPlain } from '../files/open-plain.ts'
import { profileFileLimits } from './limits.ts'

/** Below the folder `Default`, whose name is the same in each profile. */
const keptFiles = ['Cookies', 'Cookies-journal', 'Login Data', 'Login Data-journal'] as const
const keptFolders = [
  'File System',
  'IndexedDB',
  // Of extensions.
  'Local Extension Settings',
  'Local Storage',
  'Service Worker',
  'WebStorage',
] as const
/** Of the preferences, only those that pages have been given by a person: permissions. */
export const keptPreferences = 'Preferences'
/** What was known of the browser beside its files, see `ProfileNotes`; no file of Chromium's. */
export const keptNotes = 'notes.json'
/** Databases make them anew. */
const isLeftOut = (name: string) => /^(LOCK|LOG|LOG\.old)$/.test(name)

const wholeName = new RegExp(
  `^(?:${[...keptFiles, keptPreferences, keptNotes].join('|')}|(?:${keptFolders.join('|')})(?:/[^/]+)+)$`,
)

export interface ProfilePath {
  /** Relative to the folder `Default`. */
  readonly name: string
  readonly path: string
}

/** Files that there may be; without the preferences. Throws if there is no profile. */
export async function* profileFilesIn(profile: string): AsyncGenerator<ProfilePath> {
  const folder = join(profile, 'Default')
  if (!(await isFolder(folder))) throw new Error('a browser has left no profile')
  for (const name of keptFiles) yield { name, path: join(folder, name) }
  for (const name of keptFolders) yield* filesBelow(folder, name)
}

/** Whether a file of an archive may be written there. */
export const isPlace = (name: string) =>
  wholeName.test(name) && !name.split('/').some((part) => part === '..' || part === '.')

/** The permissions that the profile has kept, in the form of Chromium's preferences. */
export async function keptPreferencesOf(profile: string): Promise<KeptPreferences> {
  return permissionsIn(await readJson(join(profile, 'Default', keptPreferences)))
}

/** Undefined if there is no such file, or if it cannot be Chromium's. */
export async function readJson(path: string): Promise<unknown> {
  const file = await openPlain(path)
  if (!file) return undefined
  try {
    const { size } = await file.stat()
    return size > profileFileLimits.jsonBytes
      ? undefined
      : (JSON.parse(await file.readFile('utf8')) as unknown)
  } finally {
    await file.close()
  }
}

export interface KeptPreferences {
  readonly profile?: { readonly [name: string]: unknown }
}

function permissionsIn(preferences: unknown): KeptPreferences {
  const { profile } = (preferences ?? {}) as { profile?: Record<string, unknown> }
  const { content_settings } = profile ?? {}
  return { profile: { ...(content_settings !== undefined && { content_settings }) } }
}

async function* filesBelow(folder: string, below: string): AsyncGenerator<ProfilePath> {
  if (!(await isFolder(join(folder, below)))) return
  for await (const entry of await opendir(join(folder, below))) {
    if (isLeftOut(entry.name)) continue
    const name = `${below}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, name)
    else if (entry.isFile()) yield { name, path: join(folder, name) }
  }
}

/** False for a link to one: it could lead to the profile of another browser. */
async function isFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}
