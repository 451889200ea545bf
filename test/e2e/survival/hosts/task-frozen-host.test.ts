/**
 * Goal: a task continues on another actor host when its own is frozen, and the frozen one, once it
 * runs again, does nothing more to the page. Method: two actor hosts, SIGSTOP of the one that has
 * the task while its model or its page holds an answer, SIGCONT when the other has finished.
 */
import t from 'tap'
import { decode } from '../../../../proto/codec.ts'
import { devKey } from '../../../../proto/accounts/dev-key.ts'
import { buckets, ownerKey } from '../../../../proto/subjects.ts'
import type { OwnerRecord } from '../../../../runtime/actor/ownership/ownership.ts'
import { startMember, type Member } from '../../../helpers/service/member.ts'
import { serveModel } from '../../../helpers/models/server.ts'
import { startNats } from '../../../helpers/nats/nats.ts'
import { finish } from '../../../helpers/models/obeying.ts'
import { isRunning } from '../../../helpers/lib/processes.ts'
import { createSession, restClient } from '../../../helpers/service/service.ts'
import { checkTask } from '../../../helpers/tasks/checker.ts'
import { TaskMoments } from '../../../helpers/tasks/moments.ts'
import { serveTasks } from '../../../helpers/pages/task-pages.ts'
import { scripted, TaskClient } from '../../../helpers/tasks/service.ts'
import { until } from '../../../helpers/lib/until.ts'

const pages = await serveTasks(t)
const model = await serveModel(finish())
t.teardown(() => model.close())
const nats = await startNats(t)
const on = (node: string) => ({ env: { ...nats.env, ...scripted(model), NODE_ID: node } })
const hosts = [await startMember(t, 'actors', on('a'))]
const gateway = await startMember(t, 'gateway', on('a'))
await startMember(t, 'node-agent', on('a'))
const store = await nats.store()
const rest = restClient(String(gateway.info['url']), devKey)
const tasks = new TaskClient(rest)
const moments = new TaskMoments(tasks, pages)
model.answerWith(moments.script)

/** The host that has the task, by its lease. */
async function ownerOf(kind: string, id: string): Promise<Member | undefined> {
  const entry = await store.bucket(buckets.owners).get(ownerKey(kind, id))
  const incarnation = entry && decode<OwnerRecord>(entry.value).incarnation
  return hosts.find((host) => host.incarnation === incarnation)
}

for (const name of ['deciding', 'acting'] as const) {
  // One more for each host that is lost: it has exited by the end of its test.
  hosts.push(await startMember(t, 'actors', on(name)))
  t.test(`its host is frozen while a task is ${name}`, async (t) => {
    const session = await createSession(rest)
    const { id, run, goOn } = await moments.by[name]!(session.id)
    const frozen = (await ownerOf('task', id))!
    process.kill(frozen.pid, 'SIGSTOP')
    t.teardown(() => isRunning(frozen.pid) && process.kill(frozen.pid, 'SIGCONT'))
    await until('the other host has the task', async () => {
      const owner = await ownerOf('task', id)
      return owner !== undefined && owner !== frozen
    })
    goOn()
    const task = await tasks.ended(id)
    t.match(task, { status: 'COMPLETED', result: { success: true } }, task.error ?? '')
    t.ok(run.isSolved())
    const told = run.told.length
    process.kill(frozen.pid, 'SIGCONT')
    await until('the frozen host has found its lease lapsed', () => !isRunning(frozen.pid))
    t.match(frozen.output(), 'fenced')
    t.equal(run.told.length, told, 'it has done nothing more to the page')
    const recorded = { task, steps: await tasks.steps(id), told: run.told }
    t.same(await checkTask(store, recorded), [])
    await rest('DELETE', `/v1/sessions/${session.id}`)
  })
}
