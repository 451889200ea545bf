/**
 * The Markdown of this repository as pages: the guides, and the READMEs of all folders, which
 * guides link to. A folder's README is served under the folder's path, so that its relative links
 * stay valid.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import { packageRoot } from '../../runtime/lib/package.ts'

const guidesFolder = 'gateway/docs/guides'
export const guidesPath = '/docs/guides'
export const insidePath = '/docs/inside'

/** In an installed package too, Markdown lies beside the code. */
const at = (path: string) => join(packageRoot, path)

export function guideNames(): readonly string[] {
  return readdirSync(at(guidesFolder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
}

/** Undefined if there is no such guide. */
export function guideFile(name: string): string | undefined {
  return guideNames().includes(name) ? `${guidesFolder}/${name}.md` : undefined
}

const folderPattern = /^(proto|runtime|actors|gateway|node-agent|test)(\/[a-z0-9-]+)*$/
const looseFiles = ['README', 'SECURITY', 'CONTRIBUTING', 'CHANGELOG']

/**
 * The file for a path below `/docs/inside`: `gateway/mcp` is the README of that folder, `SECURITY`
 * a file of the top folder. Undefined if there is none; no other file can be read.
 */
export function insideFile(path: string): string | undefined {
  const file = looseFiles.includes(path)
    ? `${path}.md`
    : folderPattern.test(path)
      ? ownFile(path)
      : undefined
  return file !== undefined && existsSync(at(file)) ? file : undefined
}

/** `gateway/access/first-engagement` is a file, `gateway/access` a folder. */
const ownFile = (path: string) =>
  existsSync(at(`${path}.md`)) ? `${path}.md` : `${path}/README.md`

export const read = (file: string): string => readFileSync(at(file), 'utf8')

const picturesFolder = `${guidesFolder}/pictures`
export const picturesPath = `${guidesPath}/pictures`

/** Undefined if there is no such picture. */
export function readPicture(name: string): Uint8Array | undefined {
  const isThere = existsSync(at(picturesFolder)) && readdirSync(at(picturesFolder)).includes(name)
  return isThere ? readFileSync(at(`${picturesFolder}/${name}`)) : undefined
}

/** The address of a picture of the guides. Undefined for any other. */
export function pictureOf(fromFile: string, link: string): string | undefined {
  const target = normalize(join(dirname(fromFile), link))
  const name = target.slice(picturesFolder.length + 1)
  const isOurs = target === `${picturesFolder}/${name}` && readPicture(name) !== undefined
  return isOurs ? `${picturesPath}/${name}` : undefined
}

/**
 * The page that a link in a file leads to. Undefined for a link to a file that has no page, such as
 * source code.
 */
export function pageOf(fromFile: string, link: string): string | undefined {
  if (link.startsWith('#')) return link
  const own = /^http:\/\/127\.0\.0\.1:8080(\/.*)?$/.exec(link)
  if (own) return own[1] ?? '/'
  if (/^[a-z]+:/.test(link)) return link
  const [path = '', hash] = link.split('#')
  const target = normalize(join(dirname(fromFile), path)).replace(/\/$/, '')
  const page = pathOfFile(target)
  return page === undefined || hash === undefined ? page : `${page}#${hash}`
}

function pathOfFile(target: string): string | undefined {
  if (target.startsWith(`${guidesFolder}/`) && target.endsWith('.md')) {
    const name = target.slice(guidesFolder.length + 1, -'.md'.length)
    return guideNames().includes(name) ? `${guidesPath}/${name}` : undefined
  }
  const path = target.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '')
  const named = path === '' ? 'README' : path
  return insideFile(named) === undefined ? undefined : `${insidePath}/${named}`
}
