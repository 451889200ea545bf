/**
 * Goal: where the operator has chosen to record sessions, one is recorded unless it says otherwise,
 * whoever creates it: REST, the console's form, or a task for itself. Method: a gateway whose actors
 * are played.
 */
import t from 'tap'
import { creationBody } from '../../../../gateway/console/pages/sessions/create/creation-form.ts'
import { SubmittedForm } from '../../../../gateway/html/forms/form.ts'
import { playTasks } from '../../../helpers/tasks/routes.ts'

const recording = (active: boolean) => ({ session: { recording: { active } } })
const open = async (env: Readonly<Record<string, string>>) =>
  playTasks(t, { env: { OPENAI_API_KEY: 'sk-test', ...env } })

for (const [chosen, isRecorded] of [
  ['on', true],
  ['off', false],
] as const) {
  t.test(`RECORD_SESSIONS=${chosen}`, async (t) => {
    const { ask, order, task } = await open({ RECORD_SESSIONS: chosen })
    const isMadeRecorded = async (body: object) => {
      const { data } = (await ask('POST', '/v1/sessions', body)).body
      const { body: read } = await ask('GET', `/v1/sessions/${String(data['id'])}`)
      return (read.data as { configuration: { session: { recording: { active: boolean } } } })
        .configuration.session.recording.active
    }
    t.equal(await isMadeRecorded({}), isRecorded)
    t.equal(await isMadeRecorded({ session: { tags: ['x'] } }), isRecorded)
    for (const active of [true, false]) t.equal(await isMadeRecorded(recording(active)), active)

    await order({ async: true })
    t.strictSame(task.inputs[0]!.order.sessionBody, isRecorded ? recording(true) : undefined)
    await order({ async: true, session_options: recording(false) })
    t.strictSame(task.inputs[1]!.order.sessionBody, recording(false))
  })
}

t.test('the box of the console’s form says only what differs', async (t) => {
  const form = (box: object) =>
    new SubmittedForm(
      new URLSearchParams({ kind: 'desktop', popup_blocker: 'on', pdf_viewer: 'on', ...box }),
    )
  const bodies = (recordsAll: boolean) => [
    creationBody(new SubmittedForm(), recordsAll),
    creationBody(form({}), recordsAll),
    creationBody(form({ recording: 'on' }), recordsAll),
  ]
  t.strictSame(bodies(false), [{}, {}, recording(true)])
  t.strictSame(bodies(true), [{}, recording(false), {}])
})
