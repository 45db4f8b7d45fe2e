// Made of the types of openai by `npm run request-types`, see `field-table.ts`.
export const OPENAI_RESPONSES_FIELDS = `
roots: EasyInputMessage ResponseCodeInterpreterToolCall ResponseCompactionItemParam ResponseComputerToolCall ResponseCustomToolCall ResponseCustomToolCallOutput ResponseFileSearchToolCall ResponseFunctionToolCall ResponseFunctionWebSearch ResponseInputItem.AdditionalTools ResponseInputItem.ApplyPatchCall ResponseInputItem.ApplyPatchCallOutput ResponseInputItem.CompactionTrigger ResponseInputItem.ComputerCallOutput ResponseInputItem.FunctionCallOutput ResponseInputItem.ImageGenerationCall ResponseInputItem.ItemReference ResponseInputItem.LocalShellCall ResponseInputItem.LocalShellCallOutput ResponseInputItem.McpApprovalRequest ResponseInputItem.McpApprovalResponse ResponseInputItem.McpCall ResponseInputItem.McpListTools ResponseInputItem.Message ResponseInputItem.Program ResponseInputItem.ProgramOutput ResponseInputItem.ShellCall ResponseInputItem.ShellCallOutput ResponseInputItem.ToolSearchCall ResponseOutputMessage ResponseReasoningItem ResponseToolSearchOutputItemParam
ComputerAction.Click type=click: button keys type x y
ComputerAction.DoubleClick type=double_click: keys type x y
ComputerAction.Drag type=drag: keys path=ComputerAction.Drag.Path type
ComputerAction.Drag.Path: x y
ComputerAction.Keypress type=keypress: keys type
ComputerAction.Move type=move: keys type x y
ComputerAction.Screenshot type=screenshot: type
ComputerAction.Scroll type=scroll: keys scroll_x scroll_y type x y
ComputerAction.Type type=type: text type
ComputerAction.Wait type=wait: type
ContainerReference type=container_reference: container_id type
EasyInputMessage role=assistant|developer|system|user type=message: content=ResponseInputFile|ResponseInputImage|ResponseInputText phase role type!
LocalEnvironment type=local: skills!=LocalSkill type
LocalSkill: description name path
ResponseCodeInterpreterToolCall type=code_interpreter_call: code container_id id outputs=ResponseCodeInterpreterToolCall.Image|ResponseCodeInterpreterToolCall.Logs status type
ResponseCodeInterpreterToolCall.Image type=image: type url
ResponseCodeInterpreterToolCall.Logs type=logs: logs type
ResponseCompactionItemParam type=compaction: encrypted_content id type
ResponseComputerToolCall type=computer_call: action!=ResponseComputerToolCall.Click|ResponseComputerToolCall.DoubleClick|ResponseComputerToolCall.Drag|ResponseComputerToolCall.Keypress|ResponseComputerToolCall.Move|ResponseComputerToolCall.Screenshot|ResponseComputerToolCall.Scroll|ResponseComputerToolCall.Type|ResponseComputerToolCall.Wait actions!=ComputerAction.Click|ComputerAction.DoubleClick|ComputerAction.Drag|ComputerAction.Keypress|ComputerAction.Move|ComputerAction.Screenshot|ComputerAction.Scroll|ComputerAction.Type|ComputerAction.Wait call_id id pending_safety_checks=ResponseComputerToolCall.PendingSafetyCheck status type
ResponseComputerToolCall.Click type=click: button keys type x y
ResponseComputerToolCall.DoubleClick type=double_click: keys type x y
ResponseComputerToolCall.Drag type=drag: keys path=ResponseComputerToolCall.Drag.Path type
ResponseComputerToolCall.Drag.Path: x y
ResponseComputerToolCall.Keypress type=keypress: keys type
ResponseComputerToolCall.Move type=move: keys type x y
ResponseComputerToolCall.PendingSafetyCheck: code id message
ResponseComputerToolCall.Screenshot type=screenshot: type
ResponseComputerToolCall.Scroll type=scroll: keys scroll_x scroll_y type x y
ResponseComputerToolCall.Type type=type: text type
ResponseComputerToolCall.Wait type=wait: type
ResponseComputerToolCallOutputScreenshot type=computer_screenshot: file_id! image_url! type
ResponseCustomToolCall type=custom_tool_call: call_id caller=ResponseCustomToolCall.Direct|ResponseCustomToolCall.Program id! input name namespace! type
ResponseCustomToolCall.Direct type=direct: type
ResponseCustomToolCall.Program type=program: caller_id type
ResponseCustomToolCallOutput type=custom_tool_call_output: call_id caller=ResponseCustomToolCallOutput.Direct|ResponseCustomToolCallOutput.Program id! output=ResponseInputFile|ResponseInputImage|ResponseInputText type
ResponseCustomToolCallOutput.Direct type=direct: type
ResponseCustomToolCallOutput.Program type=program: caller_id type
ResponseFileSearchToolCall type=file_search_call: id queries results=ResponseFileSearchToolCall.Result status type
ResponseFileSearchToolCall.Result: attributes file_id! filename! score! text!
ResponseFunctionShellCallOutputContent.Exit type=exit: exit_code type
ResponseFunctionShellCallOutputContent.Timeout type=timeout: type
ResponseFunctionShellCallOutputContent: outcome=ResponseFunctionShellCallOutputContent.Exit|ResponseFunctionShellCallOutputContent.Timeout stderr stdout
ResponseFunctionToolCall type=function_call: arguments call_id caller=ResponseFunctionToolCall.Direct|ResponseFunctionToolCall.Program id! name namespace! status! type
ResponseFunctionToolCall.Direct type=direct: type
ResponseFunctionToolCall.Program type=program: caller_id type
ResponseFunctionWebSearch type=web_search_call: action=ResponseFunctionWebSearch.Find|ResponseFunctionWebSearch.OpenPage|ResponseFunctionWebSearch.Search id status type
ResponseFunctionWebSearch.Find type=find_in_page: pattern type url
ResponseFunctionWebSearch.OpenPage type=open_page: type url
ResponseFunctionWebSearch.Search type=search: queries! query! sources!=ResponseFunctionWebSearch.Search.Source type
ResponseFunctionWebSearch.Search.Source type=url: type url
ResponseInputFile type=input_file: detail! file_data! file_id file_url! filename! prompt_cache_breakpoint!=ResponseInputFile.PromptCacheBreakpoint type
ResponseInputFile.PromptCacheBreakpoint: mode
ResponseInputFileContent type=input_file: detail! file_data file_id file_url filename prompt_cache_breakpoint=ResponseInputFileContent.PromptCacheBreakpoint type
ResponseInputFileContent.PromptCacheBreakpoint: mode
ResponseInputImage type=input_image: detail file_id image_url prompt_cache_breakpoint!=ResponseInputImage.PromptCacheBreakpoint type
ResponseInputImage.PromptCacheBreakpoint: mode
ResponseInputImageContent type=input_image: detail file_id image_url prompt_cache_breakpoint=ResponseInputImageContent.PromptCacheBreakpoint type
ResponseInputImageContent.PromptCacheBreakpoint: mode
ResponseInputItem.AdditionalTools role=developer type=additional_tools: id role tools type
ResponseInputItem.ApplyPatchCall type=apply_patch_call: call_id caller=ResponseInputItem.ApplyPatchCall.Direct|ResponseInputItem.ApplyPatchCall.Program id operation=ResponseInputItem.ApplyPatchCall.CreateFile|ResponseInputItem.ApplyPatchCall.DeleteFile|ResponseInputItem.ApplyPatchCall.UpdateFile status type
ResponseInputItem.ApplyPatchCall.CreateFile type=create_file: diff path type
ResponseInputItem.ApplyPatchCall.DeleteFile type=delete_file: path type
ResponseInputItem.ApplyPatchCall.Direct type=direct: type
ResponseInputItem.ApplyPatchCall.Program type=program: caller_id type
ResponseInputItem.ApplyPatchCall.UpdateFile type=update_file: diff path type
ResponseInputItem.ApplyPatchCallOutput type=apply_patch_call_output: call_id caller=ResponseInputItem.ApplyPatchCallOutput.Direct|ResponseInputItem.ApplyPatchCallOutput.Program id output status type
ResponseInputItem.ApplyPatchCallOutput.Direct type=direct: type
ResponseInputItem.ApplyPatchCallOutput.Program type=program: caller_id type
ResponseInputItem.CompactionTrigger type=compaction_trigger: type
ResponseInputItem.ComputerCallOutput type=computer_call_output: acknowledged_safety_checks=ResponseInputItem.ComputerCallOutput.AcknowledgedSafetyCheck call_id id output=ResponseComputerToolCallOutputScreenshot status type
ResponseInputItem.ComputerCallOutput.AcknowledgedSafetyCheck: code id message
ResponseInputItem.FunctionCallOutput type=function_call_output: call_id caller=ResponseInputItem.FunctionCallOutput.Direct|ResponseInputItem.FunctionCallOutput.Program id output=ResponseInputFileContent|ResponseInputImageContent|ResponseInputTextContent status type
ResponseInputItem.FunctionCallOutput.Direct type=direct: type
ResponseInputItem.FunctionCallOutput.Program type=program: caller_id type
ResponseInputItem.ImageGenerationCall type=image_generation_call: id result status type
ResponseInputItem.ItemReference type=item_reference: id type
ResponseInputItem.LocalShellCall type=local_shell_call: action=ResponseInputItem.LocalShellCall.Action call_id id status type
ResponseInputItem.LocalShellCall.Action type=exec: command env timeout_ms type user working_directory
ResponseInputItem.LocalShellCallOutput type=local_shell_call_output: id output status type
ResponseInputItem.McpApprovalRequest type=mcp_approval_request: arguments id name server_label type
ResponseInputItem.McpApprovalResponse type=mcp_approval_response: approval_request_id approve id reason type
ResponseInputItem.McpCall type=mcp_call: approval_request_id arguments error id name output server_label status! type
ResponseInputItem.McpListTools type=mcp_list_tools: error id server_label tools=ResponseInputItem.McpListTools.Tool type
ResponseInputItem.McpListTools.Tool: annotations description input_schema name
ResponseInputItem.Message role=developer|system|user type=message: content=ResponseInputFile|ResponseInputImage|ResponseInputText role status! type!
ResponseInputItem.Program type=program: call_id code fingerprint id type
ResponseInputItem.ProgramOutput type=program_output: call_id id result status type
ResponseInputItem.ShellCall type=shell_call: action=ResponseInputItem.ShellCall.Action call_id caller=ResponseInputItem.ShellCall.Direct|ResponseInputItem.ShellCall.Program environment=ContainerReference|LocalEnvironment id status type
ResponseInputItem.ShellCall.Action: commands max_output_length timeout_ms
ResponseInputItem.ShellCall.Direct type=direct: type
ResponseInputItem.ShellCall.Program type=program: caller_id type
ResponseInputItem.ShellCallOutput type=shell_call_output: call_id caller=ResponseInputItem.ShellCallOutput.Direct|ResponseInputItem.ShellCallOutput.Program id max_output_length output=ResponseFunctionShellCallOutputContent status type
ResponseInputItem.ShellCallOutput.Direct type=direct: type
ResponseInputItem.ShellCallOutput.Program type=program: caller_id type
ResponseInputItem.ToolSearchCall type=tool_search_call: arguments call_id execution! id status type
ResponseInputText type=input_text: prompt_cache_breakpoint!=ResponseInputText.PromptCacheBreakpoint text type
ResponseInputText.PromptCacheBreakpoint: mode
ResponseInputTextContent type=input_text: prompt_cache_breakpoint=ResponseInputTextContent.PromptCacheBreakpoint text type
ResponseInputTextContent.PromptCacheBreakpoint: mode
ResponseOutputMessage role=assistant type=message: content=ResponseOutputRefusal|ResponseOutputText id phase role status type
ResponseOutputRefusal type=refusal: refusal type
ResponseOutputText type=output_text: annotations=ResponseOutputText.ContainerFileCitation|ResponseOutputText.FileCitation|ResponseOutputText.FilePath|ResponseOutputText.URLCitation logprobs!=ResponseOutputText.Logprob text type
ResponseOutputText.ContainerFileCitation type=container_file_citation: container_id end_index file_id filename start_index type
ResponseOutputText.FileCitation type=file_citation: file_id filename index type
ResponseOutputText.FilePath type=file_path: file_id index type
ResponseOutputText.Logprob.TopLogprob: bytes logprob token
ResponseOutputText.Logprob: bytes logprob token top_logprobs=ResponseOutputText.Logprob.TopLogprob
ResponseOutputText.URLCitation type=url_citation: end_index start_index title type url
ResponseReasoningItem type=reasoning: content!=ResponseReasoningItem.Content encrypted_content id status! summary=ResponseReasoningItem.Summary type
ResponseReasoningItem.Content type=reasoning_text: text type
ResponseReasoningItem.Summary type=summary_text: text type
ResponseToolSearchOutputItemParam type=tool_search_output: call_id execution! id status tools type
`;
