/**
 * Goal: a test that waits in vain says for what, and what its service has last said. Method: a
 * condition that never holds, beside a witness; and a file that ends while it waits.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { until } from '../../helpers/lib/until.ts'
import { addWitness } from '../../helpers/lib/witnesses.ts'

t.test('the error names the condition, and has what the witnesses say', async (t) => {
  const dismiss = addWitness(() => 'its last answer: GET /v1/sessions: 503')
  await t.rejects(
    until('the service is ready', () => false, 30),
    { message: 'not within 30 ms: the service is ready\nits last answer: GET /v1/sessions: 503' },
  )
  dismiss()
  await t.rejects(
    until('more', () => false, 30),
    { message: 'not within 30 ms: more' },
  )
})

t.test('a file that ends while it waits says for what', async (t) => {
  const helper = join(packageRoot, 'dist/test/helpers/lib/until.js')
  const code = `
    import { until } from '${helper}'
    until('the desktop is there', () => false)
    await until('the first has looked', () => true)
    process.exit(1)`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  })
  t.match(stderr, /^still waiting: the desktop is there$/m)
  t.notMatch(stderr, 'the first')
})
