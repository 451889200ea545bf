/**
 * Bundles the compiled programs, as the last step of a build: each program of
 * `runtime/process/programs.ts`, and chunks for what several share or load later, in `dist/bundle`.
 * A program then reads some files at its start instead of a thousand modules. Files that are loaded
 * by their path stay outside: native packages and what is served. The code that runs in pages is
 * bundled too, in `dist/bundle/page`. An argument names another folder for the output.
 */
import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { pageBundles } from '../../dist/runtime/browser-host/page-bundles.js'
import { bundleFolder } from '../../dist/runtime/lib/package.js'
import { bundledPrograms } from '../../dist/runtime/process/programs.js'
import { bundling, dist, pageBundling } from './bundling.js'

const [folder = bundleFolder] = process.argv.slice(2)
const pageFolder = 'page'
const programs = Object.entries(bundledPrograms)
const { metafile } = await build({
  ...bundling,
  entryPoints: Object.fromEntries(programs.map(([name, file]) => [name, join(dist, file)])),
  outdir: folder,
  splitting: true,
  chunkNames: 'chunk-[hash]',
})

await Promise.all(
  Object.entries(pageBundles).map(([name, file]) =>
    build({
      ...pageBundling,
      entryPoints: [join(dist, file)],
      outfile: join(folder, pageFolder, `${name}.js`),
      // What is sent with each call stays as it is: clients see its names in the traces of scripts.
      minify: name === 'page',
    }),
  ),
)

// Chunks of earlier builds go last: a service that runs meanwhile finds one or the other.
const written = new Set(Object.keys(metafile.outputs).map((path) => basename(path)))
written.add(pageFolder)
for (const name of readdirSync(folder)) {
  if (!written.has(name)) rmSync(join(folder, name))
}
