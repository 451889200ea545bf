// Goal: no promise is forgotten, none stands where a value is expected, and no function outside
// test/ has over 60 lines. Method: oxlint with its rules that know types, over every source, as
// `npm run check` runs it; and the same settings over functions of 60 and of 61 lines.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'

const oxlint = join(packageRoot, 'node_modules/.bin/oxlint')

/** What oxlint says, with the settings in the folder. */
const lint = (cwd: string, ...options: readonly string[]): Promise<string> =>
  promisify(execFile)(oxlint, [...options, '--format=unix'], { cwd }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
  )

/** A function of so many lines, with a comment and an empty line that do not count. */
const functionOf = (lines: number): string =>
  ['function long() {', '  // why', '', ...Array(lines - 2).fill('  step()'), '}', ''].join('\n')

t.test('oxlint finds nothing', async (t) => {
  t.match((await lint(packageRoot, '--type-aware')).trim(), /^$/)
})

t.test('a function outside test/ has 60 lines at most', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-lint-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  copyFileSync(join(packageRoot, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
  const files = {
    'gateway/fits.ts': 60,
    'gateway/page.tsx': 61,
    'node-agent/in-page.js': 61,
    'runtime/long.ts': 61,
    'test/long.ts': 61,
  }
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), functionOf(lines))
  }
  const found = [...(await lint(folder)).matchAll(/^(\S+?):\d+:\d+: (.*)$/gm)]
  t.same(
    found.map(([, path]) => path).sort(),
    ['gateway/page.tsx', 'node-agent/in-page.js', 'runtime/long.ts'],
    'names each function of 61 lines, and none of 60 or of a test',
  )
  t.ok(found.every(([, , what]) => what?.includes('max-lines-per-function')))
})
