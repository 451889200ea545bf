/**
 * Packs `troupe-mcp` alone, as a tarball that npm installs without a network: what the program
 * imports, compiled, and the packages that this needs. `npm run pack-mcp -- FOLDER` writes it there,
 * otherwise into the present folder, and prints its path.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = join(root, 'dist/gateway/troupe-mcp.js')
const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g
/** Types and source maps are for compilers and debuggers, and most of what packages weigh. */
const isNeeded = (path) => !/\.(map|[mc]?ts)$/.test(path)

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))
const stop = (text) => {
  process.stderr.write(`pack-mcp: ${text}\n`)
  process.exit(1)
}

/** The compiled files that the program imports, and the names of the packages. */
function importsOf(file, files = new Set(), packages = new Set()) {
  if (files.has(file)) return { files, packages }
  files.add(file)
  for (const [, name] of readFileSync(file, 'utf8').matchAll(importPattern)) {
    if (name.startsWith('.')) importsOf(resolve(dirname(file), name), files, packages)
    else if (!name.startsWith('node:')) packages.add(packageOf(name))
  }
  return { files, packages }
}

const packageOf = (name) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

/** The folders of packages and of what they depend on, by name. */
function foldersOf(names, from, folders = new Map()) {
  for (const name of names) {
    const folder = installed(name, from)
    const known = folders.get(name)
    if (known === folder) continue
    if (known !== undefined) stop(`${name} is required in two versions: ${known}, ${folder}`)
    folders.set(name, folder)
    const { dependencies = {} } = readJson(join(folder, 'package.json'))
    foldersOf(Object.keys(dependencies), folder, folders)
  }
  return folders
}

/** Where Node finds it: beside its user, or further up. */
function installed(name, from) {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name)
    if (existsSync(folder)) return folder
    if (at === dirname(at)) return stop(`${name} is not installed; run: npm ci`)
  }
}

function stage(folder) {
  const { version, license, engines, dependencies: wanted } = readJson(join(root, 'package.json'))
  const { files, packages } = importsOf(program)
  for (const file of files) cpSync(file, join(folder, relative(root, file)))
  const bundled = [...packages].sort()
  for (const [name, from] of foldersOf(bundled, root)) {
    const options = { recursive: true, dereference: true, filter: isNeeded }
    cpSync(from, join(folder, 'node_modules', name), options)
  }
  cpSync(join(root, 'gateway/mcp/README.md'), join(folder, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const manifest = {
    name: 'troupe-mcp',
    version,
    description: 'Cloud browsers of a Troupe service as MCP tools, over stdin and stdout',
    ...{ license, engines, type: 'module' },
    bin: { 'troupe-mcp': relative(root, program) },
    files: ['dist'],
    dependencies: Object.fromEntries(bundled.map((name) => [name, wanted[name]])),
    bundleDependencies: bundled,
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

const [target = '.', ...others] = process.argv.slice(2)
if (others.length > 0) stop('use: npm run pack-mcp -- [FOLDER]')
if (!existsSync(target)) stop(`${target} is not a folder`)
if (!existsSync(program)) stop('the program is not compiled; run: npm run build')
const folder = mkdtempSync(join(tmpdir(), 'troupe-pack-mcp-'))
try {
  stage(folder)
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', resolve(target)]
  const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }
  const [{ filename }] = JSON.parse(execFileSync('npm', args, options))
  process.stdout.write(`${join(resolve(target), filename)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
