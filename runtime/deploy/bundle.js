/**
 * Bundles the compiled programs, as the last step of a build: each program of
 * `runtime/process/programs.ts`, and chunks for what several share or load later, in `dist/bundle`.
 * A program then reads some files at its start instead of a thousand modules. Files that are loaded
 * by their path stay outside: native packages, what is served, and page code. An argument names
 * another folder for the output.
 */
import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { bundledPrograms, bundleFolder } from '../../dist/runtime/process/programs.js'
import { bundling, dist } from './bundling.js'

const [folder = bundleFolder] = process.argv.slice(2)
const programs = Object.entries(bundledPrograms)
const { metafile } = await build({
  ...bundling,
  entryPoints: Object.fromEntries(programs.map(([name, file]) => [name, join(dist, file)])),
  outdir: folder,
  splitting: true,
  chunkNames: 'chunk-[hash]',
})

// Chunks of earlier builds go last: a service that runs meanwhile finds one or the other.
const written = new Set(Object.keys(metafile.outputs).map((path) => basename(path)))
for (const name of readdirSync(folder)) {
  if (!written.has(name)) rmSync(join(folder, name))
}
