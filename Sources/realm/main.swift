import RealmTool

CommandLineTool.main()
