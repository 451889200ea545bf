/** Creates a session, and shows the code that creates an equal one. */
import { sessionDefaults } from '../../../../../proto/session/session.ts'
import { ChoiceField, LongField, TextField } from '../../../../html/fields.tsx'
import { Collapsible, ErrorSummary, PostForm, SubmitButton } from '../../../../html/form.tsx'
import type { SubmittedForm } from '../../../../html/forms/form.ts'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import { createdJson } from '../../../../sessions/session-json.ts'
import { FoldedSample, KeyVariableHint } from '../../../../html/code/code-sample.tsx'
import type { ConsoleOutcome } from '../../../page.ts'
import type { ConsoleVisit } from '../../../visit.ts'
import { creationLines } from '../../../../html/code/code-lines.ts'
import { creationFacts } from './creation-facts.ts'
import { browserToggles, creationBody, isTicked } from './creation-form.ts'
import { ExtensionField, extensionChoices } from './extension-field.tsx'
import { Toggle } from './toggle.tsx'
import { hasSetup, SetupFields, setupLabels, setupNames } from './setup-fields.tsx'

export async function createSession(visit: ConsoleVisit): Promise<ConsoleOutcome> {
  const { form } = visit
  // The script requests this too, to keep the code current while the form is being formProps in.
  if (form.has('preview')) return newSessionPage(visit)
  const call = {
    body: creationBody(form, visit.deps.config.RECORD_SESSIONS),
    once: form.text('once'),
  }
  const { data } = await visit.run('POST /v1/sessions', call, createdJson)
  return { to: visit.at(`/sessions/${data.id}`), notice: 'session-created' }
}

/** The names of the form's fields in REST. */
const restNames = {
  initial_url: 'session.initial_url',
  tags: 'session.tags',
  max_duration: 'session.timeout.max_duration',
  idle_timeout: 'session.timeout.idle_timeout',
  width: 'browser.viewport.width',
  height: 'browser.viewport.height',
  profile: 'browser.profile',
  extensions: 'browser.extensions',
  ...setupNames,
  proxy_server: 'session.proxy',
  allow: 'session.network.allow',
  deny: 'session.network.deny',
} as const

const labels: Readonly<Record<keyof typeof restNames, string>> = {
  initial_url: 'Start page',
  tags: 'Tags',
  max_duration: 'Maximum duration',
  idle_timeout: 'Idle timeout',
  width: 'Width',
  height: 'Height',
  profile: 'Profile',
  extensions: 'Extensions',
  ...setupLabels,
  proxy_server: 'Proxy server',
  allow: 'Allowed domains',
  deny: 'Blocked domains',
}

const namedFields = (Object.keys(restNames) as (keyof typeof restNames)[]).map((name) => ({
  ...{ name, label: labels[name], about: restNames[name] },
}))

interface SessionFormProps {
  readonly visit: ConsoleVisit
  readonly form: SubmittedForm
  readonly problem: FormProblem | undefined
}

export async function newSessionPage(
  visit: ConsoleVisit,
  problem?: FormProblem,
): Promise<PageContent> {
  const extensions = await extensionChoices(visit)
  const formProps = { visit, form: visit.form, problem }
  return {
    title: 'New session',
    lead: 'A session is your own browser. All settings are optional.',
    up: { href: visit.at(''), label: 'Sessions' },
    body: (
      <>
        <ErrorSummary problem={problem} fields={namedFields} />
        <div class="beside">
          <PostForm visit={visit} action={visit.at('/sessions/new')} isOnce>
            <MainFields {...formProps} />
            <Collapsible label="Place and device" isOpen={hasSetup(visit.form)}>
              <SetupFields field={(name) => field(name, formProps)} form={visit.form} />
            </Collapsible>
            <Collapsible label="Network and proxy" isOpen={hasNetwork(visit.form)}>
              <NetworkFields {...formProps} />
            </Collapsible>
            <Collapsible
              label="Browser options"
              isOpen={visit.asked('extension') !== undefined || visit.form.has('extensions')}
            >
              <BrowserFields {...formProps} />
              <ExtensionField visit={visit} problem={problem} extensions={extensions} />
            </Collapsible>
            <div class="buttons ends">
              <SubmitButton>Create session</SubmitButton>
              <SubmitButton kind="plain" name="preview" value="yes">
                Update the code
              </SubmitButton>
            </div>
          </PostForm>
          <CodeOf visit={visit} />
        </div>
      </>
    ),
  }
}

const hasNetwork = (form: SubmittedForm) =>
  ['proxy_server', 'allow', 'deny', 'allow_private'].some((name) => form.given(name) !== undefined)

const field = <N extends keyof typeof restNames>(name: N, { form, problem }: SessionFormProps) => ({
  ...{ name, label: labels[name], about: restNames[name], problem, isOptional: true },
  value: form.given(name),
})

const MainFields = (of: SessionFormProps) => {
  const { form } = of
  return (
    <>
      <ChoiceField
        name="kind"
        label="Kind"
        kind="radio"
        chosen={[form.given('kind') ?? 'desktop']}
        choices={[
          {
            value: 'desktop',
            label: 'With a desktop',
            hint: 'Mouse and keyboard of the operating system; also reaches native dialogs.',
          },
          { value: 'headless', label: 'Headless', hint: 'Uses about a quarter less memory.' },
        ]}
      />
      <TextField
        {...field('initial_url', of)}
        type="url"
        hint="Opened before the session is ready."
      />
      <TextField {...field('tags', of)} hint="Separated by commas. You can search by tag." />
      <TextField
        {...field('profile', of)}
        value={form.given('profile') ?? of.visit.asked('profile')}
        hint="Logins that an earlier session has saved under this name."
      />
      <div class="field">
        <Toggle
          name="persist"
          label="Save the profile when the session ends; a new name begins empty"
          isOn={form.has('persist')}
        />
      </div>
      <div class="pair">
        <TextField
          {...field('max_duration', of)}
          value={form.given('max_duration') ?? String(sessionDefaults.maxDurationMinutes)}
          type="number"
          min="-1"
          hint="In minutes. −1 for no limit."
        />
        <TextField
          {...field('idle_timeout', of)}
          value={form.given('idle_timeout') ?? String(sessionDefaults.idleTimeoutMinutes)}
          type="number"
          min="-1"
          hint="In minutes without a connection."
        />
      </div>
    </>
  )
}

const NetworkFields = (of: SessionFormProps) => (
  <>
    <TextField {...field('proxy_server', of)} hint="For example http://proxy.example:3128" />
    <div class="pair">
      <TextField
        name="proxy_username"
        label="Proxy user"
        isOptional
        autocomplete="off"
        value={of.form.given('proxy_username')}
      />
      <TextField
        name="proxy_password"
        label="Proxy password"
        type="password"
        isOptional
        autocomplete="off"
      />
    </div>
    <LongField
      {...field('allow', of)}
      rows={2}
      hint="One per line, for example *.example.com. If empty, all."
    />
    <LongField {...field('deny', of)} rows={2} hint="One per line." />
    {of.visit.facts.principal.allowPrivate ? (
      <ChoiceField
        name="allow_private"
        label="Private networks"
        kind="checkbox"
        chosen={of.form.has('allow_private') ? ['yes'] : []}
        choices={[{ value: 'yes', label: 'Can reach private networks and this machine' }]}
      />
    ) : (
      ''
    )}
  </>
)

const BrowserFields = (of: SessionFormProps) => {
  const { form, visit } = of
  const { viewport } = sessionDefaults
  return (
    <>
      <div class="pair">
        <TextField
          {...field('width', of)}
          value={form.given('width') ?? String(viewport.width)}
          type="number"
        />
        <TextField
          {...field('height', of)}
          value={form.given('height') ?? String(viewport.height)}
          type="number"
        />
      </div>
      <fieldset class="field">
        <legend>Options</legend>
        <div class="choices">
          {browserToggles.map(({ name, label, byDefault }) => (
            <Toggle name={name} label={label} isOn={isTicked(form, name, byDefault)} />
          ))}
          <Toggle
            name="recording"
            label="Make a video of the tab in front"
            isOn={isTicked(form, 'recording', visit.deps.config.RECORD_SESSIONS)}
          />
          <Toggle
            name="read_only"
            label="Make its live view read-only"
            isOn={form.has('read_only')}
          />
          <Toggle
            name="one_time_url"
            label="Let each link to its live view work for one viewer only"
            isOn={form.has('one_time_url')}
          />
        </div>
      </fieldset>
    </>
  )
}

const CodeOf = ({ visit }: { visit: ConsoleVisit }) => {
  const facts = creationFacts(visit)
  const body = withoutPassword(creationBody(visit.form, visit.deps.config.RECORD_SESSIONS))
  return (
    <section class="code" id="code" aria-labelledby="s-code">
      <h2 id="s-code">Do the same from code</h2>
      <KeyVariableHint usesDevKey={facts.usesDevKey} />
      {creationLines({ ...facts, body }).map(({ name, label, text }, n) => (
        <FoldedSample id={`code-${name}`} label={label} text={text} isOpen={n < 2} />
      ))}
    </section>
  )
}

/** Values of password fields must not be shown. */
function withoutPassword(body: Readonly<Record<string, unknown>>) {
  const hide = (name: string, value: unknown) => (name === 'password' ? 'PROXY_PASSWORD' : value)
  return JSON.parse(JSON.stringify(body, hide)) as Readonly<Record<string, unknown>>
}
