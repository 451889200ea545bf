/** Actions of the console on a session, through the REST routes. */
import { z } from 'zod'
import { ServiceError } from '../../../../../proto/errors.ts'
import { isId } from '../../../../../proto/ids.ts'
import type { SessionView } from '../../../../../proto/session/session.ts'
import { inspectorLink } from '../../../../inspector/inspector-links.ts'
import { inspectorLimits } from '../../../../inspector/limits.ts'
import { redirectReply } from '../../../../html/answers/page-reply.ts'
import { noSuchSession } from '../../../../sessions/no-such-session.ts'
import type { ConsoleNotice } from '../../../html/notices.ts'
import { readTrace } from '../../../html/trace-links.tsx'
import type { ConsoleFile, ConsoleRedirect } from '../../../page.ts'
import type { ConsoleVisit } from '../../../visit.ts'

/** The session in the path; throws `not_found` for a session that this key may not see. */
export function sessionOf(visit: ConsoleVisit): SessionView {
  const id = visit.param('id')
  const view = isId('ses', id) ? visit.deps.views.get(id) : undefined
  if (!view || !visit.sees(view.tenant)) throw noSuchSession()
  return view
}

export async function endSession(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  const { id, tenant } = sessionOf(visit)
  const route = visit.has('sessions')
    ? 'DELETE /v1/sessions/{session_id}'
    : 'DELETE /v1/admin/sessions/{session_id}'
  await visit.do(route, { params: { session_id: id } }, tenant)
  return { to: visit.at(''), notice: 'session-ended' }
}

const backTo = (visit: ConsoleVisit, id: string, notice: ConsoleNotice): ConsoleRedirect => ({
  to: visit.at(`/sessions/${id}`),
  notice,
})

export async function extendSession(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  const { id, tenant } = sessionOf(visit)
  const body = { minutes: Number(visit.form.text('minutes')) }
  const call = { params: { session_id: id }, body }
  await visit.do('POST /v1/sessions/{session_id}/extend', call, tenant)
  return backTo(visit, id, 'session-extended')
}

export async function tagSession(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  const { id, tenant } = sessionOf(visit)
  const tags = visit.form
    .text('tags')
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean)
  const call = { params: { session_id: id }, body: { tags } }
  await visit.do('PUT /v1/sessions/{session_id}/tags', call, tenant)
  return backTo(visit, id, 'session-tagged')
}

const linkAnswer = z.object({ data: z.object({ live_view_url: z.string() }) })

/** Creates a link for somebody without a key. It is shown once, on the page that follows. */
export async function makeLink(visit: ConsoleVisit): Promise<string> {
  const { id, tenant } = sessionOf(visit)
  const { form } = visit
  const body = { mode: form.text('mode'), ttl_seconds: Number(form.text('ttl_seconds')) }
  const call = { params: { session_id: id }, body }
  const route = 'POST /v1/sessions/{session_id}/live-tokens'
  const { data } = await visit.run(route, call, linkAnswer, tenant)
  return data.live_view_url
}

export async function revokeLinks(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  const { id, tenant } = sessionOf(visit)
  const call = { params: { session_id: id } }
  await visit.do('DELETE /v1/sessions/{session_id}/live-tokens', call, tenant)
  return backTo(visit, id, 'links-revoked')
}

/**
 * Redirects to the live view with a link of this key, which is valid as long as the session. With
 * `?mode=view` the link allows watching only.
 */
export function openLiveView(visit: ConsoleVisit): ConsoleFile {
  const view = sessionOf(visit)
  const { links } = visit.deps
  const { request, principal } = visit.facts
  const { keyId } = principal
  const url =
    visit.asked('mode') === 'view'
      ? links.url(request, view.id, links.mint(view, { mode: 'view', keyId }))
      : links.viewUrl(request, view, keyId)
  const { pathname, search } = new URL(url)
  return { file: redirectReply(`${pathname}${search}`) }
}

export function readSessionTrace(visit: ConsoleVisit): Promise<ConsoleFile> {
  const { id, tenant } = sessionOf(visit)
  const route = 'GET /v1/sessions/{session_id}/trace'
  return readTrace(visit, route, { session_id: id }, tenant)
}

export async function readHar(visit: ConsoleVisit): Promise<ConsoleFile> {
  const { id, tenant } = sessionOf(visit)
  const call = { params: { session_id: id } }
  return { file: await visit.file('GET /v1/sessions/{session_id}/har', call, tenant) }
}

const cdpTokenAnswer = z.object({ data: z.object({ token: z.string() }) })

/**
 * Redirects to the DevTools front end of the session's browser, with a token that is listed and
 * revoked like the session's other tokens. `?page=` names a tab; the default is the one that was
 * shown last.
 */
export async function openInspector(visit: ConsoleVisit): Promise<ConsoleFile> {
  const view = sessionOf(visit)
  const { glances, addresses } = visit.deps
  const pageId = visit.asked('page') ?? (await glances.of(view)).pages[0]?.id
  if (pageId === undefined || !/^[A-Za-z0-9-]{1,64}$/.test(pageId)) {
    throw new ServiceError('not_found', 'This session has no tab with this id.')
  }
  const body = { scopes: ['cdp'], ttl_seconds: inspectorLimits.linkSeconds }
  const call = { params: { session_id: view.id }, body }
  const route = 'POST /v1/sessions/{session_id}/tokens'
  const { data } = await visit.run(route, call, cdpTokenAnswer, view.tenant)
  const sockets = addresses.ws(visit.facts.request)
  return {
    file: redirectReply(inspectorLink({ sessionId: view.id, token: data.token, pageId, sockets })),
  }
}

export async function readDownload(visit: ConsoleVisit): Promise<ConsoleFile> {
  const { id, tenant } = sessionOf(visit)
  const params = { session_id: id, file_id: visit.param('file') }
  const route = 'GET /v1/sessions/{session_id}/downloads/{file_id}'
  return { file: await visit.file(route, { params }, tenant) }
}
