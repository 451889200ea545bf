/** How programs are bundled: options of esbuild that the build and `pack-program.js` share. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const dist = join(root, 'dist')

/** A map that leads nowhere: traces name our sources, and a package's lines would triple the maps. */
const noMap = `\n//# sourceMappingURL=data:application/json;base64,${btoa(
  JSON.stringify({ version: 3, sources: [''], mappings: 'AAAA' }),
)}`

const unmappedPackages = {
  name: 'unmapped-packages',
  setup(bundler) {
    bundler.onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8') + noMap,
      loader: 'default',
    }))
  },
}

export const bundling = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // CommonJS packages that are bundled call `require` for what is not.
  banner: {
    js:
      "import { createRequire as createBundleRequire } from 'node:module'\n" +
      'const require = createBundleRequire(import.meta.url)',
  },
  // Optional and native packages, which look for files beside their own.
  external: ['bufferutil', 'lmdb', 'msgpackr-extract', 'utf-8-validate'],
  // Packages tell errors apart by the name of their class, which a bundler may change.
  keepNames: true,
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  plugins: [unmappedPackages],
  logLevel: 'warning',
}

/** Code that runs in pages: a script that declares `page`, an object of what its module exports. */
export const pageBundling = {
  absWorkingDir: root,
  bundle: true,
  format: 'iife',
  globalName: 'page',
  platform: 'browser',
  target: 'chrome120',
  sourcemap: 'external',
  sourcesContent: false,
  charset: 'utf8',
  logLevel: 'warning',
}
