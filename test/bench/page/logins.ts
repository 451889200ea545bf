/** What a stored login costs beside the same values typed by the caller. */
import { createSession } from '../../helpers/service/service.ts'
import { member, serveLoginSite } from '../../helpers/sites/login-site.ts'
import { type Bench, median, ms, timings } from '../lib/report.ts'

export const logins: Bench = {
  name: 'logins',
  on: 'headless',
  async run(world) {
    const { rest } = world.service
    const site = await serveLoginSite()
    await rest('POST', '/v1/logins', { name: 'bench', origin: site.origin, ...member })
    const { id } = await createSession(rest)
    const run = async (command: string, input: object) => {
      const path = `/v1/sessions/${id}/commands/${command}`
      const { status } = await rest('POST', path, input)
      if (status !== 200) throw new Error(`${command}: ${status}`)
    }
    const fresh = () => run('navigate', { url: `${site.origin}/` })
    const type = async () => {
      await run('type', { target: '[name=user]', text: member.username })
      await run('type', { target: '[name=pass]', text: member.password })
    }
    const samples: { typed: number[]; filled: number[] } = { typed: [], filled: [] }
    for (let turn = 0; turn < 20; turn++) {
      await fresh()
      samples.typed.push(...(await timings(1, type)))
      await fresh()
      samples.filled.push(...(await timings(1, () => run('fill_login', { login: 'bench' }))))
    }
    await world.release(id)
    await rest('DELETE', '/v1/logins/bench')
    await site.close()
    const [typed, filled] = [median(samples.typed), median(samples.filled)]
    return [
      {
        name: 'fill_login, user name and password, p50',
        ours: ms(filled),
        baseline: `${ms(typed)} (two type commands)`,
        ratio: filled / typed,
        target: '≤ 2×',
        met: filled / typed <= 2,
      },
    ]
  },
}
