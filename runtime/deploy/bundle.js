/**
 * Bundles the compiled programs, as the last step of a build: each program of
 * `runtime/process/programs.ts`, and chunks for what several share or load later, in `dist/bundle`.
 * A program then reads some files at its start instead of a thousand modules. Files that are loaded
 * by their path stay outside: native packages and what is served. The code that runs in pages is
 * bundled too, in `dist/bundle/page`, and what `troupe browser` knows of each command is written beside. An argument names another folder for the output.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { definitionsFile } from '../../dist/runtime/cli/browser/verbs/definitions.js'
import { makeDefinitions } from '../../dist/runtime/cli/browser/verbs/make-definitions.js'
import { pageBundles } from '../../dist/runtime/browser-host/page-bundles.js'
import { bundleFolder } from '../../dist/runtime/lib/package.js'
import { bundledPrograms, singleFilePrograms } from '../../dist/runtime/process/programs.js'
import { bundling, dist, pageBundling } from './bundling.js'

const [folder = bundleFolder] = process.argv.slice(2)
const pageFolder = 'page'
const entryPoints = (names) =>
  Object.fromEntries(names.map((name) => [name, join(dist, bundledPrograms[name])]))
const sharing = Object.keys(bundledPrograms).filter((name) => !singleFilePrograms.includes(name))
const bundles = await Promise.all([
  build({
    ...bundling,
    entryPoints: entryPoints(sharing),
    outdir: folder,
    splitting: true,
    chunkNames: 'chunk-[hash]',
  }),
  build({ ...bundling, entryPoints: entryPoints(singleFilePrograms), outdir: folder }),
])

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

writeFileSync(join(folder, definitionsFile), JSON.stringify(makeDefinitions()))

// Chunks of earlier builds go last: a service that runs meanwhile finds one or the other.
const outputs = bundles.flatMap(({ metafile }) => Object.keys(metafile.outputs))
const written = new Set(outputs.map((path) => basename(path)))
written.add(pageFolder).add(definitionsFile)
for (const name of readdirSync(folder)) {
  if (!written.has(name)) rmSync(join(folder, name))
}
