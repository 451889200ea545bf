/**
 * Packs one program alone, as a tarball that npm installs without a network: one file with all that
 * it imports. `npm run pack-mcp -- FOLDER` writes that of `troupe-mcp` there, otherwise into the
 * present folder, and prints its path; `npm run pack-browser` does so for `troupe browser`.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { definitionsFile } from '../../dist/runtime/cli/browser/verbs/definitions.js'
import { bundledPrograms } from '../../dist/runtime/process/programs.js'
import { bundling, dist, root } from './bundling.js'

/** `bin`: the command it installs. Files are where the program looks for them in its package. */
const packages = {
  'troupe-mcp': {
    description: 'Cloud browsers of a Troupe service as MCP tools, over stdin and stdout',
    bin: 'troupe-mcp',
    program: 'troupe-mcp.js',
    readme: 'gateway/mcp/README.md',
    beside: [],
  },
  'troupe-browser': {
    description:
      'Cloud browsers of a Troupe service for a shell: troupe browser open, click, type …',
    bin: 'troupe',
    program: 'dist/bundle/troupe-browser.js',
    readme: 'gateway/docs/guides/shell.md',
    beside: [`dist/bundle/${definitionsFile}`],
  },
}

const stop = (text) => {
  process.stderr.write(`pack-program: ${text}\n`)
  process.exit(1)
}

async function stage(name, folder) {
  const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { description, bin, program, readme, beside } = packages[name]
  const outfile = join(folder, program)
  const entryPoints = [join(dist, bundledPrograms[name])]
  await build({ ...bundling, entryPoints, outfile, sourcemap: false })
  for (const path of beside) cpSync(join(root, path), join(folder, path))
  cpSync(join(root, readme), join(folder, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const manifest = {
    ...{ name, version, description, license, engines, type: 'module' },
    bin: { [bin]: program },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

const [name, target = '.', ...others] = process.argv.slice(2)
if (!Object.hasOwn(packages, name ?? '')) stop(`name one of ${Object.keys(packages).join(', ')}`)
if (others.length > 0)
  stop('use: npm run pack-mcp -- [FOLDER], or npm run pack-browser -- [FOLDER]')
if (!existsSync(target)) stop(`${target} is not a folder`)
if (!existsSync(join(dist, bundledPrograms[name]))) stop('it is not compiled; run: npm run build')
const folder = mkdtempSync(join(tmpdir(), 'troupe-pack-'))
try {
  await stage(name, folder)
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', resolve(target)]
  const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }
  const [{ filename }] = JSON.parse(execFileSync('npm', args, options))
  process.stdout.write(`${join(resolve(target), filename)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
