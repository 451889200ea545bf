/**
 * Packs `troupe-mcp` alone, as a tarball that npm installs without a network: one file with all
 * that it imports. `npm run pack-mcp -- FOLDER` writes it there, otherwise into the present folder,
 * and prints its path.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { bundling, dist, root } from './bundling.js'

const compiled = join(dist, 'gateway/troupe-mcp.js')
const stop = (text) => {
  process.stderr.write(`pack-mcp: ${text}\n`)
  process.exit(1)
}

async function stage(folder) {
  const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const outfile = join(folder, 'troupe-mcp.js')
  await build({ ...bundling, entryPoints: [compiled], outfile, sourcemap: false })
  cpSync(join(root, 'gateway/mcp/README.md'), join(folder, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const manifest = {
    name: 'troupe-mcp',
    version,
    description: 'Cloud browsers of a Troupe service as MCP tools, over stdin and stdout',
    ...{ license, engines, type: 'module' },
    bin: { 'troupe-mcp': 'troupe-mcp.js' },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

const [target = '.', ...others] = process.argv.slice(2)
if (others.length > 0) stop('use: npm run pack-mcp -- [FOLDER]')
if (!existsSync(target)) stop(`${target} is not a folder`)
if (!existsSync(compiled)) stop('the program is not compiled; run: npm run build')
const folder = mkdtempSync(join(tmpdir(), 'troupe-pack-mcp-'))
try {
  await stage(folder)
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', resolve(target)]
  const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }
  const [{ filename }] = JSON.parse(execFileSync('npm', args, options))
  process.stdout.write(`${join(resolve(target), filename)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
