/**
 * An attacker with a program on the host, or with a desktop of their own, wants to see and to type on
 * somebody else's: any client of an X server may do both. Method: two headful browsers, and X clients
 * as every user of the machine has them, without a cookie, with the wrong one and with the right one.
 */
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import t from 'tap'
import {
  DisplayConnection,
  type XAddress,
} from '../../../node-agent/input/x11/display-connection.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { xProgram } from '../../helpers/browser/x-program.ts'

const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())
const headful = async () =>
  (await host.claim({ browser: { headless: { active: false } } })).claim.display!
const [theirs, mine] = [await headful(), await headful()]

/** At the root window alone: a child may be destroyed while a tree is read, which is an error too. */
function looks(display: XAddress, XAUTHORITY: string) {
  const { prefix, env } = xProgram(display)
  const [command, ...args] = [...prefix, 'xwininfo', '-root']
  const own = { ...env, HOME: '/nowhere', XAUTHORITY }
  return spawnSync(command!, args, { env: own, encoding: 'utf8' })
}

t.test('another program of the machine', async (t) => {
  const { status, stdout, stderr } = looks(theirs, '/nowhere/xauthority')
  t.not(status, 0)
  t.equal(stdout, '')
  t.match(stderr, /unable to open display/)
})

t.test('with the cookie of a desktop of their own', async (t) => {
  t.not(looks(theirs, mine.authority).status, 0)
  t.equal(looks(mine, mine.authority).status, 0)
  const wrong = { xSocket: theirs.xSocket, authority: mine.authority }
  await t.rejects(DisplayConnection.open(wrong, systemClock))
})

t.test('the cookie is for the owner of the service alone', async (t) => {
  t.equal(statSync(theirs.authority).mode & 0o777, 0o600)
  const connection = await DisplayConnection.open(theirs, systemClock)
  t.ok(connection.root > 0)
  connection.close()
})
