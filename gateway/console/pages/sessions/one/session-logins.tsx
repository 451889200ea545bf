/** What keeps a session's browser logged in: saved to a file, or given to a new session. */
import { z } from 'zod'
import { storageStateCommand } from '../../../../../proto/commands/page/storing.ts'
import type { SessionView } from '../../../../../proto/session/session.ts'
import { TextField } from '../../../../html/fields.tsx'
import { PostForm, SubmitButton } from '../../../../html/form.tsx'
import { PageSection } from '../../../../html/parts.tsx'
import { configurationOf, createdJson } from '../../../../sessions/session-json.ts'
import type { ConsoleFile, ConsoleRedirect } from '../../../page.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { sessionOf } from './session-acts.ts'

interface Props {
  readonly view: SessionView
  readonly visit: ConsoleVisit
}

export const LoginsSection = ({ view, visit }: Props) => {
  const here = visit.at(`/sessions/${view.id}`)
  return (
    <PageSection title="Logins">
      <p>
        Cookies, local storage and IndexedDB: a session that starts with them is logged in where
        this one is. Keep the file as secret as a password.
      </p>
      <div class="buttons">
        <a class="button plain" href={`${here}/logins`} download>
          Save to a file
        </a>
        {mayPass(view, visit) ? (
          <PostForm visit={visit} action={`${here}/logins`} isOnce>
            <SubmitButton kind="plain">New session with these logins</SubmitButton>
          </PostForm>
        ) : (
          ''
        )}
      </div>
      {mayPass(view, visit) ? (
        <PostForm visit={visit} action={`${here}/profile`}>
          <TextField
            name="profile"
            label="Or save them as a profile"
            hint="A name for later sessions. This session goes on."
            value={visit.form.given('profile') ?? view.options.profile?.name}
          />
          <div class="buttons">
            <SubmitButton kind="plain">Save the profile</SubmitButton>
          </div>
        </PostForm>
      ) : (
        ''
      )}
    </PageSection>
  )
}

/** The logins stay with their tenant; passwords and headers of a session are not known here. */
const mayPass = ({ tenant, options: { proxy, setup } }: SessionView, visit: ConsoleVisit) =>
  visit.has('sessions') &&
  tenant === visit.facts.principal.tenant &&
  !(proxy ?? setup?.headerNames ?? setup?.httpCredentials)

const stateAnswer = z.object({ data: storageStateCommand.output })

function stateOf(visit: ConsoleVisit, { id, tenant }: SessionView) {
  const call = { params: { session_id: id }, query: { indexed_db: 'true' } }
  return visit.run('GET /v1/sessions/{session_id}/storage-state', call, stateAnswer, tenant)
}

export async function saveLogins(visit: ConsoleVisit): Promise<ConsoleFile> {
  const view = sessionOf(visit)
  const { data } = await stateOf(visit, view)
  return {
    file: {
      status: 200,
      headers: {
        'content-type': 'application/json',
        'content-disposition': `attachment; filename="logins-${view.id}.json"`,
        'cache-control': 'no-store',
      },
      body: JSON.stringify(data, undefined, 2),
    },
  }
}

export async function saveAsProfile(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  const { id } = sessionOf(visit)
  const call = { params: { session_id: id }, body: { name: visit.form.text('profile') } }
  await visit.do('POST /v1/sessions/{session_id}/profile/save', call)
  return { to: visit.at(`/sessions/${id}`), notice: 'profile-saved' }
}

export async function passLogins(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  const view = sessionOf(visit)
  if (!mayPass(view, visit)) return { to: visit.at(`/sessions/${view.id}`) }
  const { data: state } = await stateOf(visit, view)
  const { session, browser: whole } = configurationOf(view.options)
  // Only one session may save a profile.
  const { profile: _, ...browser } = whole
  const body = { session: { ...session, storage_state: state }, browser }
  const call = { body, once: visit.form.text('once') }
  const { data } = await visit.run('POST /v1/sessions', call, createdJson)
  return { to: visit.at(`/sessions/${data.id}`), notice: 'session-logged-in' }
}
