/** The package's folder and version. Compiled files are at another depth than their sources. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

export const version: string = (
  JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }
).version

/** Where the build puts what it bundles. */
export const bundleFolder = join(packageRoot, 'dist/bundle')

/** The path of a bundle. Throws if the package is not built. */
export function builtPath(name: string): string {
  const path = join(bundleFolder, name)
  if (!existsSync(path)) throw new Error(`${path} is missing: build with \`npm run build\``)
  return path
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('no package.json above the program: reinstall troupe')
  return findRoot(parent)
}
