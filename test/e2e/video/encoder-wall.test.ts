/**
 * Goal: whoever takes ffmpeg over, by a picture that a page drew, has nothing of the host. Method: other
 * programs, where ffmpeg would run.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { encoderLack, encoderWall } from '../../../node-agent/video/encoder.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { isRecording } from '../../helpers/service/isolation-here.ts'

const skip = !isRecording && 'sessions cannot be recorded on this machine'

const inside = (script: string, folders: readonly string[] = []) => {
  const [command, ...args] = [...encoderWall(folders), 'sh', '-c', script]
  return execFileSync(command!, args).toString()
}

t.test('it sees the system’s programs and its own folder', { skip }, async (t) => {
  const folder = t.testdir({ 'slice.mp4': 'video' })
  const secret = join(t.testdirName, '..', `secret-${process.pid}`)
  writeFileSync(secret, 'secret')
  t.equal(inside(`cat ${secret} 2>/dev/null || echo nothing`), 'nothing\n')
  for (const gone of ['/home', '/root', '/var/lib', '/srv', '/opt', '/etc/passwd']) {
    t.equal(inside(`ls -A ${gone} 2>/dev/null || echo none`), 'none\n', gone)
  }
  t.equal(inside('ls -A /tmp'), '')
  t.equal(inside('cat /in/slice.mp4', ['--ro-bind', folder, '/in']), 'video')
  t.equal(
    inside('touch /in/new /usr/new /new 2>/dev/null; ls /in', ['--ro-bind', folder, '/in']),
    'slice.mp4\n',
  )
  t.notMatch(inside('cat /proc/*/cmdline | tr "\\0" " "'), /node|tap/)
})

t.test('it reaches no network', { skip }, async (t) => {
  let asked = 0
  const server = createServer((_, response) => {
    asked++
    response.end('reached')
  })
  const port = await listenOnLoopback(server)
  t.teardown(() => closeServer(server))
  const [command, ...args] = [...encoderWall(), 'curl', '-s', `http://127.0.0.1:${port}`]
  t.not(spawnSync(command!, args).status, 0)
  t.equal(asked, 0)
  t.match(inside('cat /proc/net/dev'), /lo:/)
  t.notMatch(inside('cat /proc/net/dev'), /eth|ens|enp|veth/)
})

t.test('a host without ffmpeg says so', { skip }, async (t) => {
  t.equal(encoderLack(), undefined)
  const path = process.env['PATH']
  t.teardown(() => (process.env['PATH'] = path))
  const folder = t.testdir({ sh: t.fixture('symlink', '/bin/sh') })
  process.env['PATH'] = folder
  t.match(encoderLack(), /no ffmpeg/)
})
