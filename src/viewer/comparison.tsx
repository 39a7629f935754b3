// What two runs did differently: where they parted, with the values on both sides, what followed, and what each ended with. Facts only,
// never which is better. What is the same is folded.
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type {
  ComparedEffects,
  ComparedEntry,
  ComparedMember,
  ComparedRows,
  RunComparison,
  RunDifferences,
  RunDivergence,
} from '../contract/hosted/runs.js';
import {
  countDelta,
  countName,
  countText,
  differenceWords,
  gradeWords,
  inputName,
  inputText,
  lacksText,
  memberName,
  memberTexts,
  orderedMembers,
  otherKeysText,
  rowText,
} from '../reports/comparison-words.js';
import { visibleLine, visibleText } from '../text/visible-text.js';
import { DiffersTable } from './differs-table.tsx';
import { ColumnHeads, MoreMembers, Scroll, Status } from './kit/parts.tsx';

type Side = 'left' | 'right';
const sides: readonly Side[] = ['left', 'right'];
const sideNames = { left: 'Left', right: 'Right' };

/** Where a run, or an entry of it, is looked at. */
export type RunAddress = (runId: string, place?: { seq?: number }) => string;
const Address = createContext<RunAddress>(() => '');

export function Comparison({ comparison, address }: { comparison: RunComparison; address: RunAddress }) {
  return (
    <Address.Provider value={address}>
      <Facts comparison={comparison} />
    </Address.Provider>
  );
}

function RunLink({ runId, place, children }: { runId: string; place?: { seq?: number }; children: ComponentChildren }) {
  return <a href={useContext(Address)(runId, place)}>{children}</a>;
}

function Facts({ comparison }: { comparison: RunComparison }) {
  const { grade, inputs, lacks = [], equal, firstDivergence, differences, rows, assertions, counts } = comparison;
  return (
    <>
      <div class={`grade ${grade}`}>
        <p>
          <strong>{gradeWords[grade].title}.</strong> {gradeWords[grade].text}
        </p>
        {lacks.map((lack) => (
          <p key={lack.side}>{lacksText(lack)}</p>
        ))}
        {grade !== 'incompatible' && (
          <p class="row">
            {(['stateHash', 'evidenceHash', 'trajectoryHash'] as const).map((name) => (
              <span key={name} class={equal[name] ? 'check passed' : 'check differs'}>
                {name.replace('Hash', '')} {equal[name] ? 'equal' : 'differs'}
              </span>
            ))}
          </p>
        )}
      </div>
      {firstDivergence !== undefined && <Parting comparison={comparison} divergence={firstDivergence} />}
      {rows !== undefined && <Rows comparison={comparison} rows={rows} />}
      {differences !== undefined && <Differences comparison={comparison} differences={differences} />}
      {inputs.length > 0 && (
        <DiffersTable
          title="Inputs that differ"
          heads={heads(comparison)}
          lines={inputs.map(({ name, left, right }) => ({
            name: inputName(name),
            left: <Text value={inputText(name, left)} />,
            right: <Text value={inputText(name, right)} />,
            differs: true,
          }))}
        />
      )}
      <DiffersTable
        title="Assertions"
        heads={heads(comparison)}
        lines={assertions.map(({ assertionId, left, right }) => ({
          name: assertionId,
          left: left === undefined ? <span class="nothing">absent</span> : <Status value={left} />,
          right: right === undefined ? <span class="nothing">absent</span> : <Status value={right} />,
          differs: left !== right,
        }))}
      />
      <DiffersTable
        title="Counts"
        heads={heads(comparison)}
        lines={counts.map(({ name, left, right }) => ({
          name: countName(name),
          left: countText(name, left),
          right: (
            <>
              {countText(name, right)} {left !== right && <span class="delta">{countDelta(name, right - left)}</span>}
            </>
          ),
          differs: left !== right,
        }))}
      />
    </>
  );
}

function heads(comparison: RunComparison): { [S in Side]: ComponentChildren } {
  const head = (side: Side) => (
    <>
      <RunLink runId={comparison[side].runId}>{sideNames[side]}</RunLink> <Status value={comparison[side].verdict} />
    </>
  );
  return { left: head('left'), right: head('right') };
}

function Parting({ comparison, divergence }: { comparison: RunComparison; divergence: RunDivergence }) {
  const { summary, members, membersTotal, effects } = divergence;
  return (
    <section class="parting card">
      <h2>Where they part</h2>
      <p class="message">{visibleText(summary)}</p>
      <div class="two-sides">
        {sides.map((side) => (
          <figure key={side}>
            <figcaption>
              {sideNames[side]} <Status value={comparison[side].verdict} />
            </figcaption>
            {divergence[side] === undefined ? (
              <p class="nothing">nothing like it</p>
            ) : (
              <Entry runId={comparison[side].runId} entry={divergence[side]} />
            )}
          </figure>
        ))}
      </div>
      {members.length > 0 && <Members members={members} total={membersTotal} />}
      {effects.left.total + effects.right.total > 0 && (
        <>
          <h3>What followed</h3>
          <div class="two-sides">
            {sides.map((side) => (
              <Effects key={side} runId={comparison[side].runId} effects={effects[side]} />
            ))}
          </div>
        </>
      )}
    </section>
  );
}

function Entry({ runId, entry: { sequence, text } }: { runId: string; entry: ComparedEntry }) {
  return (
    <p class="line">
      <RunLink runId={runId} place={{ seq: sequence }}>
        #{sequence}
      </RunLink>{' '}
      {visibleText(text)}
    </p>
  );
}

/** What the other side has as well is folded: it is no consequence of the difference. */
function Effects({ runId, effects: { total, shown } }: { runId: string; effects: ComparedEffects }) {
  const own = shown.filter(({ inBoth }) => !inBoth);
  const both = shown.filter(({ inBoth }) => inBoth);
  return (
    <div>
      {total === 0 && <p class="quiet">Nothing.</p>}
      {own.map((entry) => (
        <Entry key={entry.sequence} runId={runId} entry={entry} />
      ))}
      {both.length > 0 && (
        <details>
          <summary>{both.length} on both sides</summary>
          {both.map((entry) => (
            <Entry key={entry.sequence} runId={runId} entry={entry} />
          ))}
        </details>
      )}
      {total > shown.length && <p class="quiet">and {(total - shown.length).toLocaleString('en-US')} more</p>}
    </div>
  );
}

/** `total`: how many there are, where these are only the first. */
function Members({ members, total = members.length }: { members: readonly ComparedMember[]; total?: number | undefined }) {
  return (
    <>
      <Scroll label="Members that differ" flat>
        <table class="diff">
          <ColumnHeads names={['Member', 'Left', 'Right']} />
          <tbody>
            {orderedMembers(members).map((member) => (
              <Member key={member.path.join(' ')} member={member} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <MoreMembers count={total - members.length} />
    </>
  );
}

function Member({ member }: { member: ComparedMember }) {
  const texts = memberTexts(member);
  return (
    <tr>
      <th scope="row">
        {visibleLine(memberName(member.path))}
        {member.isCut && <span class="quiet"> (cut)</span>}
      </th>
      {[member.left, member.right].map((value, side) => (
        <td key={side}>{value === undefined ? <span class="nothing">absent</span> : <Text value={texts[side]!} />}</td>
      ))}
    </tr>
  );
}

function Text({ value }: { value: string }) {
  return <code class="value">{visibleText(value)}</code>;
}

function Rows({ comparison, rows: { changed, onlyLeft, onlyRight, shown } }: { comparison: RunComparison; rows: ComparedRows }) {
  const total = changed + onlyLeft + onlyRight;
  if (total === 0) return null;
  return (
    <section>
      <h2>Rows at the end that differ</h2>
      <p class="quiet">
        {`${changed} changed, ${onlyLeft} only left, ${onlyRight} only right.`}
        {total > shown.length && ` The first ${shown.length} are listed.`}
      </p>
      {shown.map((row) => (
        <div key={rowText(row)} class="card compared-row">
          <p class="row">
            <span class={`change change-${row.kind === 'changed' ? 'update' : row.kind === 'only_left' ? 'delete' : 'insert'}`}>
              {differenceWords[row.kind]}
            </span>
            <code class="grow">{visibleText(rowText(row))}</code>
            {row.leftSequence !== undefined && (
              <RunLink runId={comparison.left.runId} place={{ seq: row.leftSequence }}>
                left #{row.leftSequence}
              </RunLink>
            )}
            {row.rightSequence !== undefined && (
              <RunLink runId={comparison.right.runId} place={{ seq: row.rightSequence }}>
                right #{row.rightSequence}
              </RunLink>
            )}
          </p>
          <Members members={row.members} total={row.membersTotal} />
        </div>
      ))}
    </section>
  );
}

/** Turn by turn, aligned by what caused each: one call more shifts nothing. */
function Differences({ comparison, differences }: { comparison: RunComparison; differences: RunDifferences }) {
  const { same, otherKeys, changed, moved, onlyLeft, onlyRight, isComplete, shown } = differences;
  const all = changed + moved + onlyLeft + onlyRight;
  return (
    <section>
      <h2>What differs, turn by turn</h2>
      <p class="quiet">
        {`${same.toLocaleString('en-US')} turns are the same, ${changed} changed, ${moved} moved, ${onlyLeft} only left, ${onlyRight} only right.`}
        {otherKeys !== undefined && ` ${otherKeysText(otherKeys)}`}
        {all > shown.length && ` The first ${shown.length} are listed.`}
        {!isComplete && ' The journals are too long to be aligned to their ends.'}
      </p>
      {shown.length > 0 && (
        <Scroll label="What differs">
          <table class="sides differences">
            <colgroup>
              <col />
              <col />
              <col />
              <col />
            </colgroup>
            <ColumnHeads names={['Kind', 'What', 'Left', 'Right']} />
            <tbody>
              {shown.map(({ kind, left, right, summary, members = [], membersTotal }, index) => (
                <tr key={index} class="differs">
                  <th scope="row">{differenceWords[kind]}</th>
                  <td>
                    {visibleText(summary)}
                    {members.length > 0 && (
                      <details>
                        <summary>{left === undefined || right === undefined ? 'Beside the call that is like it' : 'Values'}</summary>
                        <Members members={members} total={membersTotal} />
                      </details>
                    )}
                  </td>
                  <td>
                    {left !== undefined && (
                      <RunLink runId={comparison.left.runId} place={{ seq: left.sequence }}>
                        #{left.sequence}
                      </RunLink>
                    )}
                  </td>
                  <td>
                    {right !== undefined && (
                      <RunLink runId={comparison.right.runId} place={{ seq: right.sequence }}>
                        #{right.sequence}
                      </RunLink>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}
