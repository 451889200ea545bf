// Goal: what the READMEs promise exists. Method: compare the table of settings, follow every
// relative link.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { errorTypes, ServiceError } from '../../../proto/errors.ts'
import { configTable } from '../../../runtime/cli/machine/config-table.ts'
import { packageRoot } from '../../../runtime/lib/package.ts'

const folders = ['', 'proto', 'runtime', 'actors', 'gateway', 'node-agent', 'test']

const documents = folders
  .flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: folder !== '', encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => join(folder, name)),
  )
  .map((path) => ({ path, text: readFileSync(join(packageRoot, path), 'utf8') }))

const readmeLinesMax = 220

t.test('README.md is for newcomers: details are in the folders’ READMEs', async (t) => {
  const readme = documents.find((document) => document.path === 'README.md')!.text
  t.ok(readme.split('\n').length <= readmeLinesMax, `at most ${readmeLinesMax} lines`)
})

t.test('the table of settings matches the code', async (t) => {
  const readme = documents.find((document) => document.path === 'runtime/cli/README.md')
  t.ok(
    readme?.text.includes(configTable()),
    'regenerate it with `node dist/bundle/troupe.js config --markdown`',
  )
})

t.test('proto/README.md has every error with its status', async (t) => {
  const text = documents.find((document) => document.path === 'proto/README.md')?.text ?? ''
  const missing = errorTypes.filter((type) => {
    return !text.includes(`| \`${type}\` | ${new ServiceError(type, '').status} |`)
  })
  t.same(missing, [])
})

t.test('every relative link leads to a file', async (t) => {
  const dead = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
      .map((match) => match[1]!)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => !existsSync(join(packageRoot, dirname(path), link)))
      .map((link) => `${path} → ${link}`),
  )
  t.same(dead, [])
})

t.test('the JSON in README.md can be pasted', async (t) => {
  const readme = documents.find((document) => document.path === 'README.md')!.text
  const blocks = [...readme.matchAll(/```json\n(.*?)```/gs)].map((match) => match[1]!)
  t.ok(blocks.length > 0)
  for (const block of blocks) t.doesNotThrow(() => JSON.parse(block), block)
})

t.test('commands are those of a clone: npx would ask the registry elsewhere', async (t) => {
  const found = documents
    .filter(({ path }) => path !== 'CHANGELOG.md')
    .filter(({ text }) => /\bnpx troupe\b/.test(text))
  t.same(
    found.map(({ path }) => path),
    [],
  )
})

t.test('every top-level folder has a README', async (t) => {
  for (const folder of folders) t.ok(existsSync(join(packageRoot, folder, 'README.md')), folder)
})

t.test('every attack is in the table of attacks', async (t) => {
  const attacks = documents.find((document) => document.path === 'test/attack/README.md')!.text
  const all = readdirSync(join(packageRoot, 'test/attack'), { recursive: true, encoding: 'utf8' })
  const files = all.filter((name) => name.endsWith('.test.ts'))
  t.ok(files.length > 10)
  for (const file of files) t.match(attacks, `(${file})`)
})
