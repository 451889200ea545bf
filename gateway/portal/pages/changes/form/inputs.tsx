/** The input fields of a patch. */
import { defined } from '../../../../../proto/defined.ts'
import type { RecordFields } from '../../../../../proto/access/areas/define-area.ts'
import { isRecordObject } from '../../../../../runtime/access/records/merge-patch.ts'
import { LongField, SelectField, TextField, type FieldChoice } from '../../../../html/fields.tsx'
import { Collapsible, type NamedField } from '../../../../html/form.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import { isAbout } from '../../../../html/forms/problem.ts'
import type { Visit } from '../../../visit.ts'
import { toWords } from '../../../words/words.ts'
import { isGroup, type FieldSpec, type GroupSpec, type LeafSpec } from './spec.ts'
import { inputNameOf, rowsIn, rowTexts, inputTextOf } from './form-values.ts'

/** How the form treats an empty field. */
export type InputMode =
  /** A record is created. */
  | 'new'
  /** The reader sees the record that is changed. */
  | 'seen'
  /** The reader cannot see the record that is changed: an empty field leaves it unchanged. */
  | 'unseen'

export interface InputProps {
  readonly visit: Visit
  readonly mode: InputMode
  /** The initial values. */
  readonly values: RecordFields
  /** By field name: the records or people to choose from. */
  readonly choices: ReadonlyMap<string, readonly FieldChoice[]>
  readonly problem: FormProblem | undefined
}

export const PatchInputs = ({
  specs,
  ...props
}: InputProps & { readonly specs: readonly FieldSpec[] }) => {
  const decided = specs.filter(({ isObserved }) => !isObserved)
  const observed = specs.filter(({ isObserved }) => isObserved)
  const isWrong = observed.some(({ name }) => isAbout(props.problem, inputNameOf(name)))
  return (
    <>
      {decided.map((spec) => (
        <Input spec={spec} {...props} />
      ))}
      {observed.length === 0 ? (
        ''
      ) : (
        <Collapsible label="Fields written by checkers" isOpen={isWrong}>
          <p class="quiet">If a checker is on, its next check overwrites these fields.</p>
          {observed.map((spec) => (
            <Input spec={spec} {...props} />
          ))}
        </Collapsible>
      )}
    </>
  )
}

/** Names and labels for the error summary. */
export const namedInputs = (specs: readonly FieldSpec[]): readonly NamedField[] =>
  specs.map((spec) => ({
    name: inputNameOf(spec.name),
    label: spec.label,
    ...(isGroup(spec) && { id: `${inputNameOf(spec.name)}.group` }),
  }))

const isSent = ({ facts }: Visit) => facts.request.method === 'POST'

/** What was typed, otherwise the value, otherwise the default. */
function textIn({ visit, mode }: InputProps, leaf: LeafSpec, name: string, value: unknown): string {
  if (isSent(visit)) return visit.form.text(name)
  const first = value === undefined && mode === 'new' ? leaf.standard : value
  return inputTextOf(leaf, first, visit.zone)
}

const Input = ({ spec, ...props }: InputProps & { readonly spec: FieldSpec }) => {
  if (!isGroup(spec)) {
    const name = inputNameOf(spec.name)
    const text = textIn(props, spec, name, props.values[spec.name])
    return <LeafInput leaf={spec} name={name} {...props} text={text} />
  }
  return spec.kind.type === 'rows' ? (
    <RowInputs group={spec} {...props} />
  ) : (
    <GroupInputs group={spec} {...props} />
  )
}

interface LeafProps extends InputProps {
  readonly leaf: LeafSpec
  readonly name: string
  readonly text: string
  /** In a list or a group, which may be empty as a whole. */
  readonly isInner?: boolean
}

const LeafInput = ({ leaf, name, text, mode: asked, choices, problem, isInner }: LeafProps) => {
  const { kind, label, hint, isRequired, standard } = leaf
  const isKept = isRequired || standard !== undefined
  // The record must have a value here, so if none is shown, the reader's access lacks the field.
  const mode = asked === 'seen' && isKept && text === '' && !isInner ? 'unseen' : asked
  const isNeeded = isRequired && mode !== 'unseen' && !isInner
  const shared = {
    ...{ name, label, problem },
    ...defined({ hint }),
    ...(!isNeeded && { isOptional: true }),
  }
  const isSure = isKept && mode !== 'unseen' && (!isInner || kind.type === 'flag')
  const known = choices.get(leaf.name)
  if (known) return <SelectField {...shared} value={text} choices={withEmpty(known, mode, false)} />
  switch (kind.type) {
    case 'flag':
      return <Pick {...{ shared, text, mode, isSure }} values={['true', 'false']} />
    case 'choice':
      return <Pick {...{ shared, text, mode, isSure }} values={kind.values} />
    case 'long':
      if (isInner) return <TextField {...shared} value={text} />
      return <LongField {...shared} rows={3} value={text} />
    case 'lines':
    case 'json':
      return <LongField {...shared} rows={4} value={text} />
    case 'day':
      return <TextField {...shared} type="date" width="short" value={text} />
    case 'time':
      return <TextField {...shared} type="datetime-local" width="middle" value={text} />
    case 'number':
      return <TextField {...shared} width="short" inputmode="numeric" value={text} />
    case 'url':
    case 'text':
    case 'person':
    case 'record':
      return <TextField {...shared} value={text} />
  }
}

const Pick = ({
  shared,
  text,
  mode,
  isSure,
  values,
}: {
  shared: { name: string; label: string }
  text: string
  mode: InputMode
  isSure: boolean
  values: readonly string[]
}) => {
  const all = values.map((one) => ({ value: one, label: choiceWord(one) }))
  return <SelectField {...shared} value={text} choices={withEmpty(all, mode, isSure)} />
}

const choiceWord = (value: string) =>
  value === 'true' ? 'Yes' : value === 'false' ? 'No' : toWords(value)

/** With `isSure`, one of the choices must be selected. */
function withEmpty(
  choices: readonly FieldChoice[],
  mode: InputMode,
  isSure: boolean,
): readonly FieldChoice[] {
  if (isSure) return choices
  return [{ value: '', label: mode === 'unseen' ? 'Leave unchanged' : 'None' }, ...choices]
}

/** The target of links in the form's error summary. */
const groupId = ({ name }: GroupSpec) =>
  `f-${inputNameOf(name).replaceAll(/[^a-z0-9]+/gi, '-')}-group`

const GroupInputs = ({ group, ...props }: InputProps & { readonly group: GroupSpec }) => {
  const known = props.values[group.name]
  const inner = isRecordObject(known) ? known : {}
  return (
    <fieldset class="field parts" id={groupId(group)}>
      <legend>{group.label}</legend>
      <div class="part">
        {group.fields.map((leaf) => {
          const name = inputNameOf(group.name, leaf.name)
          const text = textIn(props, leaf, name, inner[leaf.name])
          return <LeafInput {...props} leaf={leaf} name={name} text={text} isInner />
        })}
      </div>
    </fieldset>
  )
}

const spareRows = 2

/** The text of a field in an empty row: flags always have a value. */
const emptyOf = ({ kind, standard }: LeafSpec) =>
  kind.type === 'flag' && standard !== undefined ? String(standard) : ''

/** The existing rows and some empty ones; clearing a row removes it. */
const RowInputs = ({ group, ...props }: InputProps & { readonly group: GroupSpec }) => {
  const { visit, values, mode } = props
  const { name, fields, label } = group
  const rows = isSent(visit) ? rowTexts(group, visit.form) : rowsIn(group, values[name], visit.zone)
  return (
    <fieldset class="field parts" id={groupId(group)}>
      <legend>{label}</legend>
      <p class="hint">
        {mode === 'unseen'
          ? 'The rows entered here replace the whole list. Without any, the list stays unchanged.'
          : 'To remove a row, clear its fields. More empty rows appear after saving.'}
      </p>
      {Array.from({ length: rows.length + spareRows }, (_, n) => (
        <div class="part" role="group" aria-label={`${label}, row ${n + 1}`}>
          {fields.map((leaf, i) => (
            <LeafInput
              {...props}
              leaf={leaf}
              name={inputNameOf(name, n, leaf.name)}
              text={rows[n]?.[i] ?? emptyOf(leaf)}
              isInner
            />
          ))}
        </div>
      ))}
    </fieldset>
  )
}
