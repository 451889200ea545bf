/** Creates a key, and shows it once. */
import { keyScopeNames } from '../../../../proto/accounts/key-scopes.ts'
import { ChoiceField, SelectField, TextField } from '../../../html/fields.tsx'
import { ErrorSummary, PostForm, SubmitButton } from '../../../html/form.tsx'
import type { SubmittedForm } from '../../../html/forms/form.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import { ButtonLink, NoticeBox } from '../../../html/parts.tsx'
import { dayText, dayWord, endOfDay } from '../../../html/times.ts'
import { madeKeyJson } from '../../../service/admin/key-routes.ts'
import { CopyButton } from '../../../html/code/code-sample.tsx'
import type { ConsoleVisit } from '../../visit.ts'
import { scopeWords } from './key-words.ts'
import { dayMs } from '../../../../proto/units.ts'

const lifetimes = [7, 30, 90, 365]

const fields = [
  { name: 'name', label: 'Name' },
  { name: 'tenant', label: 'Tenant' },
  { name: 'scopes', label: 'Scopes' },
  { name: 'max_sessions', label: 'Sessions at once' },
  { name: 'expires_in', label: 'Expires', about: 'expires_at' },
  { name: 'allow_private', label: 'Private networks' },
]

export async function makeKeyFromPage(visit: ConsoleVisit): Promise<PageContent> {
  const call = { body: keyOrderOf(visit), once: visit.form.text('once') }
  const { data } = await visit.run('POST /v1/admin/keys', call, madeKeyJson)
  return {
    title: 'New key',
    up: { href: visit.at('/keys'), label: 'Keys' },
    body: (
      <>
        <NoticeBox tone="good" title="Key created. It is shown only once.">
          <p class="secret">
            <code id="new-key" class="id">
              {data.key}
            </code>
          </p>
          <p>
            <CopyButton of="new-key" what="the key" />
          </p>
          <p>
            Copy the key now. It is the key “<bdi>{data.name}</bdi>” of tenant{' '}
            <bdi>{data.tenant}</bdi>. Programs send it in the header <code>service-api-key</code>;
            people sign in to this console with it.
          </p>
        </NoticeBox>
        <div class="buttons">
          <ButtonLink href={visit.at('/keys')} kind="main">
            View all keys
          </ButtonLink>
          <ButtonLink href={visit.at('/keys/new')}>Create another</ButtonLink>
        </div>
      </>
    ),
  }
}

/** Rounded to the end of a day, so that sending the form again requests the same end. */
const endAfter = (days: number, now: number): string =>
  endOfDay(dayText(now + days * dayMs, 'UTC'), 'UTC')

/** Text that is not a number is passed on unchanged, so that the route reports the error. */
function keyOrderOf({ form, now }: ConsoleVisit): Readonly<Record<string, unknown>> {
  const days = form.given('expires_in')
  const sessions = form.given('max_sessions')
  const tenant = form.given('tenant')
  return {
    name: form.text('name'),
    scopes: form.all('scopes'),
    ...(tenant !== undefined && { tenant }),
    ...(sessions !== undefined && {
      max_sessions: /^\d+$/.test(sessions) ? Number(sessions) : sessions,
    }),
    ...(days !== undefined && {
      expires_at: /^\d{1,4}$/.test(days) ? endAfter(Number(days), now) : days,
    }),
    ...(form.has('allow_private') && { allow_private: true }),
  }
}

interface KeyFormProps {
  readonly visit: ConsoleVisit
  readonly problem: FormProblem | undefined
}

export function newKeyPage(visit: ConsoleVisit, problem?: FormProblem): PageContent {
  return {
    title: 'New key',
    lead: 'A key belongs to a tenant, and tenants are isolated from each other. Give each program and person their own key.',
    up: { href: visit.at('/keys'), label: 'Keys' },
    body: (
      <>
        <ErrorSummary problem={problem} fields={fields} />
        <PostForm visit={visit} action={visit.at('/keys/new')} isOnce class="key-form">
          <WhoseFields visit={visit} problem={problem} />
          <ScopeField visit={visit} problem={problem} />
          <LimitFields visit={visit} problem={problem} />
          <div class="buttons ends">
            <SubmitButton>Create key</SubmitButton>
          </div>
        </PostForm>
      </>
    ),
  }
}

const WhoseFields = ({ visit, problem }: KeyFormProps) => (
  <>
    <TextField
      name="name"
      label="Name"
      hint="What the key is for, such as ci or checkout tests. Shown with its sessions."
      problem={problem}
      value={visit.form.given('name')}
      autocomplete="off"
    />
    <TextField
      name="tenant"
      label="Tenant"
      hint="Letters, digits, - and _. A new name creates a new tenant."
      problem={problem}
      value={visit.form.given('tenant') ?? visit.facts.principal.tenant}
      autocomplete="off"
    />
  </>
)

const isSent = (form: SubmittedForm) => form.has('name')

const ScopeField = ({ visit, problem }: KeyFormProps) => {
  const { scopes: own, allowPrivate } = visit.facts.principal
  const usual = own.filter((scope) => scope !== 'admin')
  return (
    <>
      <ChoiceField
        name="scopes"
        label="Scopes"
        kind="checkbox"
        problem={problem}
        hint="Limited to the scopes of the key you are signed in with."
        chosen={isSent(visit.form) ? visit.form.all('scopes') : usual}
        choices={keyScopeNames
          .filter((scope) => own.includes(scope))
          .map((scope) => ({ value: scope, label: scopeWords[scope], hint: scope }))}
      />
      {allowPrivate ? (
        <ChoiceField
          name="allow_private"
          label="Private networks"
          kind="checkbox"
          problem={problem}
          chosen={visit.form.has('allow_private') ? ['yes'] : []}
          choices={[
            {
              value: 'yes',
              label: 'Its sessions can reach private networks and this machine',
              hint: 'Only for people and programs that you trust with these networks.',
            },
          ]}
        />
      ) : (
        ''
      )}
    </>
  )
}

const LimitFields = ({ visit, problem }: KeyFormProps) => {
  const { sessionsMax, keyId } = visit.facts.principal
  const endsMs = visit.deps.keys.get(keyId)?.expiresAtMs
  const longest = endsMs === undefined ? 'Never' : `With your key, ${dayWord(endsMs, 'UTC')}`
  const days = lifetimes.filter(
    (some) => endsMs === undefined || Date.parse(endAfter(some, visit.now)) <= endsMs,
  )
  return (
    <div class="pair">
      <TextField
        name="max_sessions"
        label="Sessions at once"
        hint={
          sessionsMax === undefined ? 'If empty, no limit for this key.' : `At most ${sessionsMax}.`
        }
        type="number"
        min="1"
        isOptional
        problem={problem}
        value={visit.form.given('max_sessions')}
      />
      <SelectField
        name="expires_in"
        label="Expires"
        about="expires_at"
        problem={problem}
        value={visit.form.given('expires_in') ?? ''}
        choices={[
          { value: '', label: longest },
          ...days.map((some) => ({
            value: String(some),
            label: some === 365 ? 'In a year' : `In ${some} days`,
          })),
        ]}
      />
    </div>
  )
}
