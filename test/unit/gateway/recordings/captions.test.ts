/**
 * Goal: captions say what happened at the moment at which the video shows it, as players read WebVTT,
 * whatever pages and clients put into texts. Method: events, and spans with a pause between them.
 */
import t from 'tap'
import { partOfVideo } from '../../../../proto/browser-host/video.ts'
import type { LoggedEvent } from '../../../../proto/session/session-event.ts'
import { captionsOf } from '../../../../gateway/recordings/captions.ts'
import { secondsInVideo } from '../../../../gateway/recordings/recording-times.ts'
import { clockText } from '../../../../gateway/recordings/recording-json.ts'

const startMs = Date.parse('2026-01-01T00:00:00.000Z')
const spans = [
  { atMs: startMs, ms: 10_000 },
  { atMs: startMs + 60_000, ms: 3_600_000 },
]
let n = 0
const at = (seconds: number, event: object): LoggedEvent =>
  ({ n: ++n, at: new Date(startMs + 1_000 * seconds).toISOString(), ...event }) as LoggedEvent

t.test('a moment of the session in its video', async (t) => {
  const secondsAt = (seconds: number) => secondsInVideo(spans, startMs + 1_000 * seconds)
  t.equal(secondsAt(-0.001), undefined)
  t.equal(secondsAt(0), 0)
  t.equal(secondsAt(9.999), 9.999)
  t.equal(secondsAt(10), undefined, 'in the pause')
  t.equal(secondsAt(60), 10)
  t.equal(secondsAt(3_659.5), 3_609.5)
  t.equal(secondsAt(3_660), undefined)
  t.strictSame(
    partOfVideo(spans, { fromMs: startMs + 9_000, toMs: startMs + 61_000 }),
    { fromMs: 9_000, toMs: 11_000 },
    'over the pause',
  )
  t.equal(partOfVideo(spans, { fromMs: startMs + 10_000, toMs: startMs + 60_000 }), undefined)
  t.equal(clockText(3_609_500), '01:00:10')
})

t.test('captions follow the events', async (t) => {
  const text = captionsOf(
    [
      at(1.5, { type: 'act', client: 'abcdef', act: 'click', x: 3, y: 4 }),
      at(1.7, { type: 'page_navigated', page: 'p', url: 'http://a.test/?a=1&b=<i>-->' }),
      at(2.5, { type: 'download', file: 'f', name: 'two\n\nlines' }),
      at(30, { type: 'page_crashed', page: 'p' }),
      at(3_659.5, { type: 'page_closed', page: 'p' }),
    ],
    spans,
  )
  t.equal(
    text,
    [
      'WEBVTT',
      '00:00:01.500 --> 00:00:02.500',
      'Clicked: at 3, 4 (Client abcd)',
      'Page changed: http://a.test/?a=1&amp;b=&lt;i&gt;--&gt;',
      '00:00:02.500 --> 00:00:06.500',
      'Download began: two lines',
      '01:00:09.500 --> 01:00:10.000',
      'Tab closed',
      '',
    ]
      .join('\n')
      .replaceAll(/\n(?=\d\d:)/g, '\n\n'),
  )
  t.equal(captionsOf([], spans), 'WEBVTT\n')
})
