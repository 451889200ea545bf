// Goal: no promise is forgotten, none stands where a value is expected. Method: oxlint with its rules
// that know types, over every source, as `npm run check` runs it.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'

t.test('oxlint finds nothing', async (t) => {
  const oxlint = join(packageRoot, 'node_modules/.bin/oxlint')
  const found = await promisify(execFile)(oxlint, ['--type-aware', '--format=unix'], {
    cwd: packageRoot,
  }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
  )
  t.match(found.trim(), /^$/)
})
