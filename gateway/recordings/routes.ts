/** Videos of recorded sessions. */
import { z } from 'zod'
import { ServiceError } from '../../proto/errors.ts'
import type { NodeRequester } from '../../runtime/browser-host/node-client.ts'
import { jsonRoute, rawRoute, type Route } from '../routing/route.ts'
import type { ServiceUrls } from '../routing/service-urls.ts'
import type { SessionService } from '../sessions/sessions.ts'
import { successJson } from '../sessions/session-json.ts'
import { recordingListJson, toRecordingJson } from './recording-json.ts'
import {
  assertKnown,
  ofRecording,
  ofSession,
  recordingPath,
  recordingsPath,
} from './recording-path.ts'
import {
  captionsReply,
  clipReply,
  frameReply,
  orderRecording,
  recordingOf,
  videoReply,
} from './session-recordings.ts'

export interface RecordingRouteDeps {
  readonly bus: NodeRequester
  readonly sessions: Pick<SessionService, 'get' | 'usable'>
  readonly addresses: Pick<ServiceUrls, 'http'>
}

const succeeded = { data: { status: 'success' as const } }
const shared = { auth: 'key', scope: 'drive' } as const

export function recordingRoutes(deps: RecordingRouteDeps): readonly Route[] {
  return [listRoutes, fetchRoutes, frameRoutes, clipRoutes, pauseRoutes, removeRoutes].flatMap(
    (of) => of(deps),
  )
}

function listRoutes({ bus, sessions, addresses }: RecordingRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      ...shared,
      method: 'GET',
      path: recordingsPath,
      summary: 'List the recordings of a session.',
      description:
        'At most one: a video of the page in front, of sessions created with ' +
        '`session.recording.active`. `processing` becomes `ready` some seconds after the end of the ' +
        'session; it is kept for a day, as long as the host of the browser is up.',
      params: ofSession,
      response: recordingListJson,
      async handler({ caller, params, request }) {
        const view = await sessions.get(caller, params.session_id)
        const info = await recordingOf(bus, view)
        const items = [toRecordingJson(view.id, info, addresses.http(request))]
        return { data: { count: items.length, items } }
      },
    }),
  ]
}

function fetchRoutes({ bus, sessions }: RecordingRouteDeps): readonly Route[] {
  return [
    rawRoute({
      ...shared,
      method: 'GET',
      path: `${recordingPath}/fetch`,
      summary: 'Get the video of a session.',
      description:
        'An MP4 file that every browser plays, also while it is being loaded; `Range` gets parts of ' +
        'it. 404 with `status` until it is `ready`.',
      params: ofRecording,
      contentType: 'video/mp4',
      async handler({ caller, params, request }) {
        const view = await sessions.get(caller, params.session_id)
        assertKnown(view.id, params.recording_id)
        return videoReply(bus, view, request.headers.get('range'))
      },
    }),
    rawRoute({
      ...shared,
      method: 'GET',
      path: `${recordingPath}/captions`,
      summary: 'Get captions for the video of a session.',
      description:
        'WebVTT: what happened at each moment of the video, from the events of the session, for ' +
        'players and editors.',
      params: ofRecording,
      contentType: 'text/vtt; charset=utf-8',
      async handler({ caller, params }) {
        const view = await sessions.get(caller, params.session_id)
        assertKnown(view.id, params.recording_id)
        return captionsReply(bus, view)
      },
    }),
  ]
}

function frameRoutes({ bus, sessions }: RecordingRouteDeps): readonly Route[] {
  return [
    rawRoute({
      ...shared,
      method: 'GET',
      path: `${recordingPath}/frames`,
      summary: 'Get one picture of a recording.',
      description:
        'What the page in front showed at a moment, as JPEG; also while the session runs. 404 for a ' +
        'moment that was not recorded.',
      params: ofRecording,
      query: z.object({
        at: z.iso
          .datetime()
          .optional()
          .describe('When, as events and steps of tasks say it; without it, the last picture.'),
      }),
      contentType: 'image/jpeg',
      async handler({ caller, params, query }) {
        const view = await sessions.get(caller, params.session_id)
        assertKnown(view.id, params.recording_id)
        return frameReply(bus, view, query.at)
      },
    }),
  ]
}

const clipSecondsMost = 60

function clipRoutes({ bus, sessions }: RecordingRouteDeps): readonly Route[] {
  return [
    rawRoute({
      ...shared,
      method: 'POST',
      path: `${recordingPath}/clip`,
      summary: 'Cut a clip out of a recording.',
      description:
        `An MP4 of what happened between two moments, at most ${clipSecondsMost} seconds, without the ` +
        'pauses between them. 404 until the recording is `ready`, and for a time that it does not show.',
      params: ofRecording,
      body: z.object({
        from: z.iso.datetime().describe('When, as events and steps of tasks say it.'),
        to: z.iso.datetime(),
      }),
      contentType: 'video/mp4',
      async handler({ caller, params, body }) {
        const view = await sessions.get(caller, params.session_id)
        assertKnown(view.id, params.recording_id)
        const [fromMs, toMs] = [Date.parse(body.from), Date.parse(body.to)]
        if (fromMs >= toMs) throw new ServiceError('bad_request', '"to" must be later than "from".')
        if (toMs - fromMs > clipSecondsMost * 1_000) {
          throw new ServiceError('bad_request', `A clip has at most ${clipSecondsMost} seconds.`)
        }
        return clipReply(bus, view, { fromMs, toMs })
      },
    }),
  ]
}

function pauseRoutes({ bus, sessions }: RecordingRouteDeps): readonly Route[] {
  const route = (order: 'pause' | 'resume', summary: string, description: string) =>
    jsonRoute({
      ...shared,
      method: 'POST',
      path: `${recordingsPath}/${order}`,
      audit: `recording.${order}`,
      summary,
      description,
      params: ofSession,
      response: successJson,
      async handler({ caller, params }) {
        await orderRecording(bus, await sessions.usable(caller, params.session_id), order)
        return succeeded
      },
    })
  return [
    route(
      'pause',
      'Pause the recording of a session.',
      'What happens from now on is not in the video, for instance while a person types something ' +
        'secret. Pausing a paused recording is no error.',
    ),
    route(
      'resume',
      'Go on with the recording of a session.',
      'The video goes on at once with what the page shows; `spans` of the list tells what is ' +
        'missing. No error if it is not paused.',
    ),
  ]
}

function removeRoutes({ bus, sessions }: RecordingRouteDeps): readonly Route[] {
  const route = jsonRoute({
    ...shared,
    method: 'DELETE',
    path: recordingPath,
    audit: 'recording.remove',
    summary: 'Delete the recording of a session.',
    description:
      'A session that runs goes on, and is not recorded any more. 400 for a session that was not ' +
      'recorded.',
    params: ofRecording,
    response: successJson,
    async handler({ caller, params }) {
      const view = await sessions.get(caller, params.session_id)
      if (!view.options.recording) {
        throw new ServiceError('bad_request', 'Recording was off in this session.')
      }
      assertKnown(view.id, params.recording_id)
      await orderRecording(bus, view, 'remove')
      return succeeded
    },
  })
  return [route]
}
